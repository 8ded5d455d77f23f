// Package programs has no code: its tests run programs in C, C++ and Fortran as ranks.
//
// They install the MPI library as a user does, with pvasrun install-mpi, and build the
// programs of testdata with its mpicc. They run each in both task models: if TEST_LONG by the
// coroutine and by cgo in each, else by one of them. A program checks itself: it ends with "fail" in
// program.h if something is not as it must be.
package programs
