// Package setup has the commands that are about this machine and no job: info says what works here, tune measures which
// settings are faster, install-mpi installs the library and the compiler commands of C and Fortran.
package setup
