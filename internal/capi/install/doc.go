// Package install makes the folder that programs in C, C++ and Fortran are built and run with:
//
//	bin/      mpicc, mpicxx, mpifort and their other names; mpiexec, mpirun, pvasrun; pvaspython
//	include/  mpi.h and mpi-ext.h, and for Fortran mpif.h, mpif-ext.h and modules
//	lib/      libmpi_abi.so.1, libmpi.so; libmpi.so.40 and libmpi.so.12 for programs that were built with Open MPI
//	          and MPICH; pkgconfig/
//
// The library is built with the go command and the C compiler of the machine. The sources are
// embedded in this program (package gopvas), so that library and launcher are of one version.
// Modules of Fortran belong to one version of its compiler, so they are made here too, where
// there is one; so is pvaspython, which is Python as a position independent program. Nothing in the
// folder has its path inside: it may be moved.
//
// Not implemented: static libraries, and compilers other than gcc and clang.
package install
