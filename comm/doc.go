// Package comm is what a face of MPI stands on: the world of ranks, groups, communicators
// and their contexts, names and attributes, topologies, requests and statuses, messages and
// collective calls, windows. Buffers are bytes and lengths are in bytes; nothing here
// depends on a type of elements. Package mpi is the face for Go, which gives elements a
// type; a face for another language can stand beside it.
//
//	err := comm.Send(c, comm.Standard, buf, 1, 7)
//	err = comm.Recv(c, &status, buf, 1, 0, 7)
//	err = comm.Call{Comm: c, Op: "bcast", Args: coll.Args{Kind: coll.Bcast, Send: coll.Buffer{Data: buf}}}.Run()
//
// A call that mpi has under the same name is described there in full. Calls on buffers are functions, so that the methods of a communicator are those that
// every face has. Errors begin with "mpi" and the name of the call: users of a face know
// no other package.
//
// # Ownership
//
// A buffer is lent to a call, and to a nonblocking one until its request is complete. Go
// buffers are on the heap; memory that is not Go's may lie anywhere.
//
// # Waiting and death
//
// Every call that blocks makes progress for all messages of this rank, and ends with a
// *LostError when a rank has gone that it waits for.
//
// # Agreement
//
// Communicators are made by messages among their members in a context of their own
// (see circle): no server, and an error of one member is an error of all.
//
// # Not implemented
//
// Reordering of ranks, one-sided calls, sessions
// and dynamic processes. See package mpi for the whole list.
package comm
