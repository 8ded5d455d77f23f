package install

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// pythonBuild builds the program with the compiler $1 from $2 as $3, whose modules find the MPI library in $4. The
// python3-config $5 is that of the Python. Its library is found again where it was found now.
const pythonBuild = `
flags=$("$5" --includes) && libs=$("$5" --embed --ldflags) || exit
for flag in $libs; do
	case $flag in -L*) libs="$libs -Wl,-rpath,${flag#-L}" ;; esac
done
exec $1 -O2 -fPIE $flags "$2" -o "$3" -pie -rdynamic -Wl,--disable-new-dtags "-Wl,-rpath,$4" $libs`

// pythonConfig returns the python3-config that PYTHON_CONFIG names, else that of the distribution, whose modules ranks
// want mostly, else the first in PATH.
func pythonConfig() (string, error) {
	if name := os.Getenv("PYTHON_CONFIG"); name != "" {
		return exec.LookPath(name)
	}
	const name = "python3-config"
	if config, err := exec.LookPath("/usr/bin/" + name); err == nil {
		return config, nil
	}
	return exec.LookPath(name)
}

// python builds pvaspython. A machine without what that takes has none: programs in C need none. It is not called
// mpipython as earlier: Debian's esys-particle has a program of that name.
func (in *installation) python(ctx context.Context) error {
	const name = "pvaspython"
	if in.Target != nil {
		return nil
	}
	config, err := pythonConfig()
	if err != nil {
		in.Missing(fmt.Sprintf("%s is not installed (%v): for ranks in Python install python3-dev, or name a "+
			"python3-config by PYTHON_CONFIG, and repeat this command", name, err))
		in.without = append(in.without, "bin/"+name)
		return nil
	}
	source, built := filepath.Join(in.source, "cmd/libmpi/python/pvaspython.c"), in.fresh("bin/"+name)
	cmd := exec.CommandContext(ctx, "sh", "-c", pythonBuild, "sh", in.c, source, built, in.path("lib"),
		config)
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
