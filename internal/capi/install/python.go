package install

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// pythonBuild builds the program with the compiler $1 from $2 as $3, whose modules find the MPI library in $4.
// python3-config is that of the Python that is first in PATH. Its library is found again where it was found now.
const pythonBuild = `
flags=$(python3-config --includes) && libs=$(python3-config --embed --ldflags) || exit
for flag in $libs; do
	case $flag in -L*) libs="$libs -Wl,-rpath,${flag#-L}" ;; esac
done
exec $1 -O2 -fPIE $flags "$2" -o "$3" -pie -rdynamic -Wl,--disable-new-dtags "-Wl,-rpath,$4" $libs`

// python builds mpipython. A machine without what that takes has none: programs in C need none.
func (in *installation) python(ctx context.Context) error {
	const name = "mpipython"
	if _, err := exec.LookPath("python3-config"); err != nil {
		in.Missing(name + " is not installed, because python3-config is not there: for ranks in Python install " +
			"python3-dev and repeat this command")
		in.without = append(in.without, "bin/"+name)
		return nil
	}
	source, built := filepath.Join(in.source, "cmd/libmpi/python/mpipython.c"), in.fresh("bin/"+name)
	cmd := exec.CommandContext(ctx, "sh", "-c", pythonBuild, "sh", in.c, source, built, in.path("lib"))
	if out, err := cmd.CombinedOutput(); ctx.Err() != nil {
		return ctx.Err()
	} else if err != nil {
		in.Missing(fmt.Sprintf("%s is not installed, because this Python cannot be linked to a program: %v\n%s", name,
			err, out))
		in.without = append(in.without, "bin/"+name)
		return os.RemoveAll(built)
	}
	return nil
}
