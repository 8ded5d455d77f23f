// Package mpi is what a rank of a parallel job links: the world of ranks and other
// communicators, messages, collective operations, and memory that ranks share. It
// follows MPI 4.1 in shape and semantics, and Go in everything else: errors are
// returned, any goroutine may call anything, and there is no global state to set up
// but Init.
//
//	func main() {
//		mpi.Run(func(world *mpi.Comm) error {
//			win, err := mpi.WinAllocateShared[byte](world, 1<<20)
//			if err != nil {
//				return err
//			}
//			win.Local()[0] = byte(world.Rank())
//			if err := world.Barrier(); err != nil {
//				return err
//			}
//			next, err := win.Segment((world.Rank() + 1) % world.Size())
//			if err != nil {
//				return err
//			}
//			fmt.Println(next[0])
//			return nil
//		})
//	}
//
// The same program runs in both task models of pvasrun, one address space and one
// process each, and without pvasrun as a job of one rank. Only WinCreate, a window
// over ordinary memory, needs one address space.
//
// # Messages
//
// All functions that send or receive take slices of elements without pointers. The
// elements must be on the heap, which the compiler sees to, and are moved as bytes:
// sender and receiver need not agree about the type, but with --check. Their errors wrap a *TypeError,
// *RankError, *TagError, *LostError, ErrFinalized or ErrFreed, and those of receives also a
// *TruncateError or, with --check, an *ElementError; find them with errors.As and errors.Is.
//
// # Collective operations
//
// Collective operations are called by all ranks of a communicator, in the same order.
// They take slices of elements without pointers, which must agree in type and, but for
// the v forms, in number. Each blocks until this rank has its result, and its buffers are its
// own again. Only after Barrier it is certain that all others have made the call.
//
// In place: where a call says so, a nil send buffer means that what is to be sent is in the
// receive buffer. The result will overwrite it: Allreduce(c, nil, sums, Sum[int]()).
//
// Several goroutines may use several communicators at a time. On one communicator the
// program makes one call after the other, in the same order on all ranks. Goroutines found in two calls at a time get
// errors.
//
// Errors wrap a *LostError if a rank has gone: the receive buffer may still be written to,
// so give it up. They wrap a *MismatchError where it is seen that ranks made different calls. A rank that only gives
// data to a short Bcast, Scatter, Gather or Reduce returns before that is seen: those that take data are told.
// Others are an *OperatorError, *RankError (no such root), *BufferError, ErrOverlap,
// *TypeError, ErrFinalized or ErrFreed.
//
// Nothing but the collectives synchronises ranks: neither Init nor Finalize does (outside of measurements that stop
// ranks there on purpose).
//
// # One value, and parts of any lengths
//
// A call whose name ends in One moves one element of each rank, by value: it takes a value where the call of the
// slices takes a slice, and returns what that leaves in the receive buffer. What comes from, or goes to, each rank is a
// slice in the order of the ranks. It is the same operation as the call of the slices, so some ranks may call one and
// some the other. Each allocates what it returns.
//
// A collective call whose name ends in Alloc takes parts whose lengths only their owners know, and allocates what it
// receives. It makes two operations: one of the lengths, one of the parts. All ranks make the same call. The parts lie
// in one piece of memory: appending to one copies it. If the name ends in Flat the parts are one slice, which does not
// tell where a part ends; ScatterFlat divides it by Comm.Block. A refused argument is told to the others by both
// operations.
//
// # Nonblocking and persistent collective operations
//
// Nonblocking collective operations take the same arguments as those that block, and
// return at once with a request. All ranks of a communicator begin the same ones in the
// same order; blocking and nonblocking ones do not meet one another. Up to the wait no buffer
// may be written to, and one that is received into not be read. Counts, displacements and
// slices of views are the caller's again at once. In place is as in the
// blocking forms.
//
// These operations are graphs (see Graph). They go on while this rank computes, if another
// rank of the job waits for something, or has a helper: see docs/writing-ranks.md. Between
// processes it takes calls of this rank, or its helper.
//
// Errors about arguments are returned at once, all others by the wait; they are those of
// the blocking forms. After a *LostError, or if ranks have made calls that do not fit one
// another at all, no later nonblocking operation on the communicator succeeds.
//
// Ranks may call different operations, or with other roots, operators or lengths. With
// pvasrun --check all get a *MismatchError then, which names two of the calls, before anything is
// received. Without it they may wait for one another.
//
// MPI 4.1 sections 6.12 and 8.7.
//
// Persistent collective operations are nonblocking ones that are prepared once, and done
// once for each Start of their request, with what the buffers have then. To prepare one is
// local. All ranks of a communicator start the same ones in the same order, those that
// are not persistent among them. A request that is not needed any more is given back with
// Free.
//
// MPI 4.1 sections 6.13 and 8.8.
//
// # Ranks that die
//
// A rank may die at any moment. Whoever waits for it, then or later, gets an error
// that wraps a *LostError with its number. Under pvasrun the other ranks are ended
// shortly after.
//
// # Memory that others read
//
// A window's memory stays where it is, and stays mapped, until the window is freed, also
// when its owner has finalized, exited or been killed: a peer that still reads it
// reads what was there last, and never faults.
//
// # Slices and views
//
// What takes elements in one piece is a function, such as Send. What takes a View, whose
// elements lie anywhere in a slice, is a method of it with the same name, or takes a slice of
// views. Go has no function that takes a slice or a view, and methods leave the index of the
// package as long as MPI's.
//
// In one address space collective operations on views read and write the elements where they lie. Where
// the operation has a block for each rank there is a view for each rank. Reductions take slices only:
// operators work on elements in one piece. All ranks call the form for views, those with their elements in
// one piece with the view Whole.
//
// # Not implemented
//
// By chapter of MPI 4.1; docs/limits.md has the reasons:
//
//   - 3: ready mode (Send is as fast); buffers to attach (Bsend copies to the heap); persistent
//     sends in buffered mode; cancel of sends to others, which MPI deprecates (ErrCancelSend).
//   - 4: partitioned communication (goroutines fill parts of a buffer, then it is sent).
//   - 5: packing, and derived datatypes as values of the standard. View and package datatype are
//     what there is.
//   - 7: intercommunicators (Spawn, Accept and Connect return one communicator of all).
//   - 8: reordering of ranks, and MPI_Graph_create.
//   - 10, 11: info objects, sessions (a library takes a communicator, and has Dup), and names of services.
//   - 12: dynamic windows, epochs of Post and Start, operations with requests.
//   - 14 of MPI 5.0: nonblocking and split calls of files (a goroutine makes them), and data representations.
package mpi
