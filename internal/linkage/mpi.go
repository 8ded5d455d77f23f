package linkage

import "strings"

// OpenMPI is the name by which programs of Open MPI 4 and 5 ask for its library, and ours has it too.
const OpenMPI = "libmpi.so.40"

// standard begins the name of every library of the standard ABI.
const standard = "libmpi_abi.so."

// isMPI tells whether a name is that of the core of an MPI: of the standard ABI, of Open MPI (libmpi), MPICH or Intel
// MPI (libmpich, libmpi).
func isMPI(name string) bool {
	return strings.HasPrefix(name, standard) || strings.HasPrefix(name, "libmpi.so.") ||
		strings.HasPrefix(name, "libmpich.so.")
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
