//go:build cgo

// Command libmpi is the MPI library for programs in C, C++ and Fortran, by the standard ABI
// of MPI 5.0. pvasrun install-mpi builds it:
//
//	go build -buildmode=c-shared -o libmpi_abi.so.1 ./cmd/libmpi
//
// It has the functions of the interface, which hand their arguments to package capi, and
// the ways from C into Go (entry.c). It is the only package with cgo.
//
// At load time a Go runtime starts, and nothing else.
//
// The compiler reads default.pgo, a profile of short messages and small collectives in C programs: it inlines along
// their calls. What the profile says of functions that have changed since is ignored. To make it anew: let an init of
// this package start runtime/pprof's CPU profile and stop it after some seconds. Run two ranks for that time with each
// of these: ping-pong, windows of Isend and Irecv, Sendrecv, allreduce, barrier, bcast, reduce, iallreduce. Merge what
// they write by go tool pprof -proto.
//
// The unwinder of the C compiler is linked into it (faults.c): a C program has no other need of that library, and each
// library of a rank takes memory areas.
package main

// #cgo openmpi CFLAGS: -DFACE_OPENMPI
// #cgo mpich CFLAGS: -DFACE_MPICH
// #cgo LDFLAGS: -Wl,--wrap=pthread_getattr_np -Wl,--wrap=pthread_attr_init -Wl,--wrap=pthread_create
// #cgo LDFLAGS: -static-libgcc -ldl
import "C"

import "embed"

// The go command compiles stubs.c and fortran.c anew only if a file has changed that it knows of: it knows the
// files in this folder and embedded ones, but not what those two include. Nothing is embedded, as nothing uses this.
//
//go:embed gen/*.c gen/*.h
var _ embed.FS

func main() {} // a library: nobody calls it
