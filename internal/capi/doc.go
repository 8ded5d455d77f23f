// Package capi gives the functions of the MPI 5.0 standard ABI their meaning: it translates
// between MPI's terms in C (integer handles, addresses, error classes) and the packages
// comm, datatype and coll, which have the semantics. It is pure Go. The C side, cmd/libmpi,
// calls Call with the number of a function and the address of its arguments.
//
// # Adding a function
//
// A function MPI_X is the method X of *Process. Its parameters are those of the table
// capi/api/functions.txt, in the types of args.go; it returns an error. If it only converts arguments
// and calls something, the table has that call as its target, and the method is generated. Others are written by
// hand. The large form MPI_X_c and the form MPI_X_x call the same method:
// parameters that are wider there know their width, and those that only the large form has
// are zero in the other. A parameter for a handle has the type of the handle, or is a pointer to
// the object: then dispatch looks up the handle (lookups in capi/api/gen). A method that must know which form was
// called has a last parameter of type Form. A collective operation has one method for MPI_X, MPI_IX and MPI_X_init,
// whose first parameter is the *collective that it fills in. After a method is added, changed or
// removed:
//
//	go generate ./internal/capi/...
//
// writes the generated methods, the dispatch and the table of conformance anew; a test holds them fresh. A function
// without a method answers MPI_ERR_UNSUPPORTED_OPERATION.
//
// # Memory of the C program
//
// Addresses of C are uintptr and stay so: the garbage collector must not find a pointer to memory of C. A page that C
// gives back may become a page of the Go heap later.
package capi
