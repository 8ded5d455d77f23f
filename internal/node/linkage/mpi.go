package linkage

import (
	"slices"
	"strings"
)

// The names of our libraries for programs of other MPIs: of Open MPI 4 and 5, and of MPICH 3.1 to 5 and what is made
// from it. Programs ask for those by the same names.
const (
	OpenMPI = "libmpi.so.40"
	MPICH   = "libmpi.so.12"
)

// mpichOfDebian is MPICH's own name; others name it as MPICH is.
const mpichOfDebian = "libmpich.so.12"

// faceFor is our library for programs that ask for one by a name, "" if there is none but that of the standard ABI.
func faceFor(name string) string {
	switch name {
	case OpenMPI, MPICH:
		return name
	case mpichOfDebian:
		return MPICH
	}
	return ""
}

// standard begins the name of every library of the standard ABI.
const standard = "libmpi_abi.so."

// cores begin the names of the core of an MPI: of Open MPI and Intel MPI, of the standard ABI, and of MPICH.
// cmd/libmpi/alone.c has the same.
var cores = []string{"libmpi.so", "libmpi_abi.so", "libmpich.so"}

func isMPI(name string) bool {
	return slices.ContainsFunc(cores, func(core string) bool { return strings.HasPrefix(name, core+".") })
}

// Implementation says whose library has a name.
func Implementation(name string) string {
	switch {
	case strings.HasPrefix(name, standard):
		return "the standard ABI of MPI 5.0"
	case name == OpenMPI:
		return "Open MPI"
	case faceFor(name) == MPICH:
		return "MPICH"
	}
	return "another MPI"
}
