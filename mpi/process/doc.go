// Package process has a running job meet other ranks: those that it starts, and those of another job of the user.
//
// MPI joins the two sides by an intercommunicator. Here both get an ordinary communicator of all of them, on which any
// call of package mpi works. The side that was there first has the first ranks: the parents, and those that accept.
//
// A job starts with room for 256 ranks in all, or pvasrun --universe. Jobs that meet at a port run on one node, by the
// same user. A rank of the other side that is lost is lost as any other. mpi.Comm.Finalize waits for nobody of the
// other side, if Disconnect was called before.
//
// MPI 4.1 chapter 11.
package process
