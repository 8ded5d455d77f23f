// Package api is the table of the MPI 5.0 standard ABI: its functions with the kinds of
// their arguments (functions.txt) and its constants (constants.txt). What differs
// in the binary interface of Open MPI is in openmpi.txt, and in that of MPICH in mpich.txt: see Face.
//
// Everything that must agree with the ABI is generated from the table: mpi.h, the C and
// Fortran stubs, the dispatch, the constants and the plainer methods of package capi, and the table of
// conformance in docs. Its tests hold the generated files fresh.
//
// The numbers and signatures are those of chapter 20 of the MPI 5.0 standard. Names have no
// prefix MPI_ in the table.
//
//go:generate go run ./gen
package api
