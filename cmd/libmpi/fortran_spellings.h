// The names of a subroutine as four compilers spell them. pmpi_name_ is there.
#ifndef LIBMPI_FORTRAN_SPELLINGS_H
#define LIBMPI_FORTRAN_SPELLINGS_H

#define WEAK(alias) _Pragma(#alias)
#define SPELLED(name, NAME, to) \
	WEAK(weak mpi##name = to) \
	WEAK(weak mpi##name##_ = to) \
	WEAK(weak mpi##name##__ = to) \
	WEAK(weak MPI##NAME = to) \
	WEAK(weak pmpi##name = to) \
	WEAK(weak pmpi##name##__ = to) \
	WEAK(weak PMPI##NAME = to)
#define CALLBACK_NAMES(name, NAME) \
	WEAK(weak mpi_##name = mpi_##name##_) \
	WEAK(weak mpi_##name##__ = mpi_##name##_) \
	WEAK(weak MPI_##NAME = mpi_##name##_)

#endif
