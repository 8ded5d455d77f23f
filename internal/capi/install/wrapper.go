package install

import (
	"context"
	_ "embed"
	"errors"
	"strings"
)

//go:embed wrapper.sh
var wrapperScript string

// wrapperNames are the names of the compilers. One script is all of them.
var wrapperNames = []string{
	"mpicc_abi", "mpicxx", "mpic++", "mpiCC", "mpicxx_abi", "mpifort", "mpif77", "mpif90", "mpifort_abi",
}

// wrappers writes the scripts.
func (in *installation) wrappers(context.Context) error {
	text := strings.NewReplacer("@CC@", in.wrapped.C, "@CXX@", in.wrapped.CXX, "@FC@", in.wrapped.Fortran,
		"@FCFLAGS@", in.fcFlags, "@VERSION@", in.Version).Replace(wrapperScript)
	if err := in.script("bin/mpicc", text, wrapperNames); err != nil {
		return err
	}
	// No scripts: a shell drops variables whose names are none of its own, such as the functions that bash exports.
	return errors.Join(in.link("bin/mpiexec", "pvasrun"), in.link("bin/mpirun", "pvasrun"))
}

// script writes a script and links to it under other names.
func (in *installation) script(name, text string, others []string) error {
	if err := in.write(name, []byte(text), 0o755); err != nil {
		return err
	}
	for _, other := range others {
		if err := in.link("bin/"+other, name[len("bin/"):]); err != nil {
			return err
		}
	}
	return nil
}
