package mpi

// Nonblocking collective operations take the same arguments as those that block, and
// return at once with a request. All ranks of a communicator begin the same ones in the
// same order; blocking and nonblocking ones do not meet one another. Up to the wait no buffer
// may be written to, and one that is received into not be read. Counts, displacements and
// slices of views are the caller's again at once. In place is as in the
// blocking forms.
//
// They are graphs of operations (see Graph). They go on while this rank computes, if another
// rank of the job waits for something, or has a helper: see docs/writing-ranks.md. Between
// processes it takes calls of this rank, or its helper.
//
// Errors about arguments are returned at once, all others by the wait; they are those of
// the blocking forms. After a *LostError, or if ranks have made calls that do not fit one
// another at all, no later nonblocking operation on the communicator succeeds.
//
// If ranks call different operations, or with other roots, operators or lengths, with
// pvasrun --check all get a *MismatchError that names two of the calls, before anything is
// received. Without it they may wait for one another.
//
// MPI 4.1 sections 6.12 and 8.7.

// Persistent collective operations are nonblocking ones that are prepared once, and done
// once for each Start of their request, with what the buffers have then. To prepare one is
// local. All ranks of a communicator start the same ones in the same order, those that
// are not persistent among them. A request that is not needed any more is given back with
// Free.
//
// MPI 4.1 sections 6.13 and 8.8.
