package programs

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// withImage makes the system's files those of an image, but for the installation, and executes a command.
const withImage = `
image=$1
shift
for d in usr lib lib64 bin sbin etc; do
	if [ -L /$d ]; then
		ln -sfn "$(readlink /$d)" "$image/$d"
	elif [ -d /$d ]; then
		mkdir -p "$image/$d" && mount --rbind "/$d" "$image/$d" || exit 99
	fi
done
mount -t proc proc "$image/proc" || exit 99
exec "$@"`

// inImage returns a command of an image of the system's files and a program, /program.
func inImage(t *testing.T, program string, command ...string) (stdout, stderr string, code int) {
	t.Helper()
	image := filepath.Join(t.TempDir(), "image")
	for _, dir := range []string{"proc", "sys", "dev", "tmp", "home", "root", "mnt"} {
		require.NoError(t, os.MkdirAll(filepath.Join(image, dir), 0o755))
	}
	text, err := os.ReadFile(program)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(image, "program"), text, 0o755))
	for i, word := range command {
		if word == "IMAGE" {
			command[i] = image
		}
	}
	args := []string{"--mount", "--propagation", "private", "sh", "-c", withImage, "sh", image}
	return run(t, []string{"USER=root"}, "unshare", append(args, command...)...)
}

// Ranks in containers get our library by a descriptor, whichever MPI their program was built for: the image has none of
// ours. They are processes by themselves.
func TestRanksInContainers(t *testing.T) {
	if out, err := exec.Command("unshare", "--mount", "chroot", "/", "true").CombinedOutput(); err != nil {
		t.Skipf("no namespaces: %s", out)
	}
	programs := []string{build(t, "size.c"), faceProgram(t, "size.c", "-fPIE", "-pie"),
		faceMPICH.program(t, "size.c", "-fPIE", "-pie")}
	for name, container := range map[string][]string{
		"chroot": {"chroot", "IMAGE"},
		"ch-run": {"ch-run", "--private-tmp", "IMAGE", "--"},
	} {
		t.Run(name, func(t *testing.T) {
			_, stderr, code := inImage(t, "/bin/true", append(container[:len(container):len(container)], "/program")...)
			if code != 0 {
				t.Skipf("%s does not work here: %s", name, stderr)
			}
			for _, program := range programs {
				words := append([]string{tool("mpiexec"), "-n", "2"}, container...)
				stdout, stderr, code := inImage(t, program, append(words, "/program")...)
				require.Equal(t, "size 2 sum 1\n", stdout, stderr)
				require.Zero(t, code)
				require.Empty(t, stderr)
			}
			words := append([]string{tool("mpiexec"), "--btl", "pvas", "-n", "2"}, container...)
			_, stderr, code = inImage(t, programs[0], append(words, "/program")...)
			require.Equal(t, 1, code)
			require.Equal(t, "pvasrun: "+name+" starts the rank in a container, with an address space of its own\n",
				stderr)
		})
	}
}
