package mpi

import "github.com/gopvas/gopvas/comm"

// Window is memory of every rank of a communicator that all of them can address.
type Window = comm.Window

// WinAllocateShared gives each rank of c bytes of shared memory, filled with
// zeros, that all ranks can address.
//
// MPI 4.1 section 12.2.3.
func WinAllocateShared(c *Comm, bytes int) (*Window, error) { return comm.WinAllocateShared(c, bytes) }

// WinCreate makes a window over memory that is there already.
//
// MPI 4.1 section 12.2.1.
func WinCreate(c *Comm, mem []byte) (*Window, error) { return comm.WinCreate(c, mem) }
