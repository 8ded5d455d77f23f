package install

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"os"
)

// pkgConfig writes what pkg-config answers by. The names are those by which programs ask
// for any MPI, and our own.
func (in *installation) pkgConfig(context.Context) error {
	for name, language := range map[string]string{
		"mpi": "C", "mpi-c": "C", "gopvas": "C", "mpi-cxx": "C++", "mpi-fort": "Fortran",
	} {
		flags := "-I${includedir}"
		if language == "Fortran" && in.fcFlags != "" {
			flags += " " + in.fcFlags
		}
		text := fmt.Sprintf(pkgConfigText, in.Version, language, flags)
		if err := in.write("lib/pkgconfig/"+name+".pc", []byte(text), 0o644); err != nil {
			return err
		}
	}
	return in.pkgConfigOfOthers()
}

// others are names of other MPIs, and ours that are the same. Who adds their folder to PKG_CONFIG_PATH has programs
// that ask for such an MPI built with this one.
var others = map[string]string{
	"ompi": "mpi", "ompi-c": "mpi-c", "ompi-cxx": "mpi-cxx", "ompi-fort": "mpi-fort", "mpich": "mpi",
}

func (in *installation) pkgConfigOfOthers() error {
	for name, ours := range others {
		text, err := os.ReadFile(in.fresh("lib/pkgconfig/" + ours + ".pc"))
		if err != nil {
			return err
		}
		text = bytes.Replace(text, []byte("${pcfiledir}"), []byte("${pcfiledir}/.."), 1)
		if err := in.write("lib/pkgconfig/others/"+name+".pc", text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

//go:embed valgrind.supp
var suppressionText []byte

// suppressions writes what valgrind is to keep to itself.
func (in *installation) suppressions(context.Context) error {
	return in.write("lib/valgrind.supp", suppressionText, 0o644)
}

const pkgConfigText = `prefix=${pcfiledir}/../..
includedir=${prefix}/include
libdir=${prefix}/lib

Name: gopvas MPI
Description: MPI 5.0 standard ABI, version %s, for programs in %s
Version: 5.0
Cflags: %s
Libs: -L${libdir} -Wl,-rpath,${libdir} -lmpi_abi
`
