// Package comm is what the faces of MPI stand on: the world of ranks, groups, communicators
// and their contexts, intercommunicators, names and attributes, topologies, requests and
// statuses, messages and collective calls, windows. Buffers are bytes, and lengths are in
// bytes; nothing here depends on a type of elements. Package mpi is the face for Go, which
// gives elements a type. Package capi is the face for C, C++ and Fortran.
//
//	err := comm.Send(c, comm.Standard, buf, 1, 7)
//	err = comm.Recv(c, &status, buf, 1, 0, 7)
//	err = comm.Call{Comm: c, Op: "bcast", Args: coll.Args{Kind: coll.Bcast, Send: coll.Buffer{Data: buf}}}.Run()
//
// A call that mpi has under the same name is described there in full. Calls on buffers are
// functions, so that the methods of a communicator are those that every face has. Errors begin
// with "mpi" and the name of the call: users of a face know no other package.
//
// # Ownership
//
// A call has its buffer in use, and a nonblocking one until its request is complete. Go
// buffers are on the heap; memory that is not Go's may lie anywhere.
//
// # Waiting and death
//
// Every call that blocks makes progress for all messages of this rank. It ends with a
// *LostError when a rank that it waits for has gone.
//
// # Agreement
//
// Communicators are made by messages among their members in a context of their own
// (see package agree): no server, and an error of one member is an error of all.
//
// # Not implemented
//
// Reordering of ranks. One-sided calls are in package window, files in package file, sessions in package capi.
// Packages mpi and capi have the whole lists of what is missing.
package comm
