// Package programs has no code: its tests run programs in C, C++ and Fortran as ranks.
//
// They install the MPI library as a user does, with pvasrun install-mpi, and build the
// programs of testdata with its mpicc. They run most in both task models: see eachModel and
// eachWay. A program checks itself: it ends with "fail" in program.h if something is not as it must be.
package programs
