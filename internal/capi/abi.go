package capi

import (
	"maps"
	"slices"
	"strconv"

	"github.com/gopvas/gopvas/internal/msg/comm"
)

// What the library says about itself: sections 20.2 and 20.3 of MPI 5.0.

// Abi_get_info is MPI_Abi_get_info.
func (p *Process) Abi_get_info(out Ptr[Info]) error {
	about := new(comm.Info)
	for _, key := range []string{"mpi_aint_size", "mpi_count_size", "mpi_offset_size"} {
		about.Set(key, "8")
	}
	return p.newInfo(about, out)
}

// Abi_get_fortran_info is MPI_Abi_get_fortran_info. What Fortran has is what gfortran has.
func (p *Process) Abi_get_fortran_info(out Ptr[Info]) error {
	about := new(comm.Info)
	for _, x := range fortranSizes {
		about.Set(x.key, x.value)
	}
	for _, class := range []struct {
		number int
		name   string
	}{{TYPECLASS_LOGICAL, "logical"}, {TYPECLASS_INTEGER, "integer"}, {TYPECLASS_REAL, "real"},
		{TYPECLASS_COMPLEX, "complex"}} {
		for _, size := range slices.Sorted(maps.Keys(sized[class.number])) {
			about.Set("mpi_"+class.name+strconv.Itoa(size)+"_supported", "true")
		}
	}
	return p.newInfo(about, out)
}

var fortranSizes = []struct{ key, value string }{
	{"mpi_logical_size", "4"}, {"mpi_integer_size", "4"}, {"mpi_real_size", "4"},
	{"mpi_double_precision_size", "8"}, {"mpi_double_complex_supported", "true"},
	{"mpi_real2_supported", "false"}, {"mpi_complex4_supported", "false"},
}

var errFortranIsSet = fail(ERR_ABI,
	"the library has its own Fortran, which is gfortran's: leave MPI_Abi_set_fortran_info out")

// logicalSize is the error unless this is a size that a LOGICAL may have. Its values are 0 and 1.
func logicalSize(size int) error {
	switch size {
	case 1, 2, 4, 8, 16:
		return nil
	}
	return fail(ERR_ARG, "no LOGICAL has %d bytes", size)
}

// Abi_get_fortran_booleans is MPI_Abi_get_fortran_booleans.
func (p *Process) Abi_get_fortran_booleans(size int, yes, no Address, set Ref) error {
	if err := logicalSize(size); err != nil {
		return err
	}
	clear(yes.Bytes(size))
	clear(no.Bytes(size))
	yes.Bytes(size)[0] = 1
	set.SetBool(true)
	return nil
}

// Pcontrol is MPI_Pcontrol, and does nothing. Tools put a function of their own in its place.
func (p *Process) Pcontrol(int) error { return nil }
