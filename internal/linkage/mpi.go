package linkage

import (
	"slices"
	"strings"
)

// OpenMPI is the name by which programs of Open MPI 4 and 5 ask for its library, and ours has it too.
const OpenMPI = "libmpi.so.40"

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
	}
	return "another MPI"
}
