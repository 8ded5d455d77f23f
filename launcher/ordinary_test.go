package launcher

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher/internal/launchertest"
)

// publicFolder is a folder in which other users find what a test puts there.
func publicFolder(t *testing.T) string {
	dir, err := os.MkdirTemp("", "launcher-public")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755))
	return dir
}

// publicSelf is a copy of this program that other users may execute.
func publicSelf(t *testing.T, dir string) string {
	self, err := os.ReadFile("/proc/self/exe")
	require.NoError(t, err)
	public := filepath.Join(dir, "supervisor")
	require.NoError(t, os.WriteFile(public, self, 0o755))
	return public
}

// asOrdinary has a command be that of an ordinary user, if the tests are root's.
func asOrdinary(cmd *exec.Cmd) {
	const ordinary = 65533
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: ordinary, Gid: ordinary}}
	}
}

// behind puts a program that starts another one before a command.
func behind(cmd *exec.Cmd, path string, args ...string) {
	cmd.Args = slices.Concat([]string{path}, args, []string{cmd.Path}, cmd.Args[1:])
	cmd.Path = path
}

// Whoever starts a job under nice may not take it back: its guard stays as it is. So does a rank that is to be more
// urgent than its user may make it.
func TestNiceUser(t *testing.T) {
	public := publicSelf(t, publicFolder(t))
	const most = 19
	niceness := min(sys.Niceness()+12, most) // these tests may run under nice
	launchertest.EachBTL(t, func(t *testing.T, btl string) {
		for _, by := range []int{0, 5, -5} {
			want := strings.Repeat(strconv.Itoa(min(niceness+max(by, 0), most))+"\n", 2)
			j := Job{BTL: btl, Apps: []App{{Program: "nice", N: 2, Nice: by}}}
			p := startPvasrun(t, j, func(cmd *exec.Cmd) {
				cmd.Path, cmd.Dir = public, "/"
				asOrdinary(cmd)
				behind(cmd, niceCommand, "-n", "12")
			})
			require.Zero(t, p.Code(), p.Stderr)
			require.Equal(t, want, p.Stdout.String())
			if by < 0 {
				want = "pvasrun: nice: nice -5 takes a privilege or a higher limit (ulimit -e): " +
					"its ranks go on without it\n"
			} else {
				want = ""
			}
			require.Equal(t, want, p.Stderr.String())
		}
	})
}

// ordinaryEnv asks for TestOrdinaryUser, which takes as long as all tests of this package.
const ordinaryEnv = "TEST_ORDINARY"

// All tests of this package pass for an ordinary user without a home, under nice 19, who can get no privilege by what
// he executes. They run in a copy of this folder: the sources may be out of his reach.
func TestOrdinaryUser(t *testing.T) {
	if os.Getenv(ordinaryEnv) == "" || os.Getenv(launchertest.BuiltEnv) != "" {
		t.Skipf("%s is not set: .ci/run has a step for it", ordinaryEnv)
	}
	dir := publicFolder(t)
	copied, scratch := filepath.Join(dir, "launcher"), filepath.Join(dir, "tmp")
	require.NoError(t, os.CopyFS(copied, os.DirFS(".")))
	require.NoError(t, os.Mkdir(scratch, 0o700))
	require.NoError(t, os.Chmod(scratch, 0o777))
	cmd := exec.Command(publicSelf(t, dir), "-test.v", "-test.timeout=20m")
	cmd.Dir = copied
	cmd.Env = slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "HOME=") })
	cmd.Env = append(cmd.Env, "TMPDIR="+scratch, launchertest.BuiltEnv+"="+filepath.Dir(launchertest.RanksProgram))
	asOrdinary(cmd)
	behind(cmd, "/usr/bin/setpriv", "--no-new-privs")
	if contended(t) {
		t.Log("without nice 19: others want the CPUs, and a test would get next to nothing of them")
	} else {
		behind(cmd, niceCommand, "-n", "19")
	}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	passed, skipped := strings.Count(string(out), "\n--- PASS"), strings.Count(string(out), "\n--- SKIP")
	t.Logf("%d tests passed, %d were skipped", passed, skipped)
}

// contended tells whether a process under nice 19 gets less than half of a CPU.
func contended(t *testing.T) bool {
	cmd := exec.Command(niceCommand, "-n", "19", "sh", "-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done")
	begin := time.Now()
	require.NoError(t, cmd.Run())
	return cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime() < time.Since(begin)/2
}
