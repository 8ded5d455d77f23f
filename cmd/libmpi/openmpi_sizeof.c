//go:build openmpi

// MPI_SIZEOF of mpif.h and of the module mpi: a subroutine for each type and number of dimensions.
#include "fortran.h"

#define WITH_RANK(type, rank) \
	WEAK(weak mpi_sizeof_##type##_##rank##_ = pmpi_sizeof_##type##_scalar_) \
	WEAK(weak pmpi_sizeof_##type##_##rank##_ = pmpi_sizeof_##type##_scalar_)

#define SIZEOF(type, bytes) \
	void pmpi_sizeof_##type##_scalar_(void *x, int *size, int *ierror) { \
		*size = bytes; \
		f_error(ierror, MPI_SUCCESS); \
	} \
	WEAK(weak mpi_sizeof_##type##_scalar_ = pmpi_sizeof_##type##_scalar_) \
	WITH_RANK(type, r1) WITH_RANK(type, r2) WITH_RANK(type, r3) WITH_RANK(type, r4) WITH_RANK(type, r5) \
	WITH_RANK(type, r6) WITH_RANK(type, r7) WITH_RANK(type, r8) WITH_RANK(type, r9) WITH_RANK(type, r10) \
	WITH_RANK(type, r11) WITH_RANK(type, r12) WITH_RANK(type, r13) WITH_RANK(type, r14) WITH_RANK(type, r15)

SIZEOF(character, 1)
SIZEOF(logical, 4)
SIZEOF(int8, 1)
SIZEOF(int16, 2)
SIZEOF(int32, 4)
SIZEOF(int64, 8)
SIZEOF(real32, 4)
SIZEOF(real64, 8)
SIZEOF(real128, 16)
SIZEOF(complex32, 8)
SIZEOF(complex64, 16)
SIZEOF(complex128, 32)
