// Package gopvas is the root of the module. It has the sources of the MPI library for C, C++ and
// Fortran, so that pvasrun install-mpi builds the library that belongs to it, also where
// nothing but pvasrun is there. The programs and libraries are in the folders; README.md
// tells which there are.
package gopvas
