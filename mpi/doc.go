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
// # Order
//
// As in MPI, all ranks call the collective operations of a communicator (Barrier,
// WinAllocateShared, WinCreate) in the same order. Goroutines of one rank that
// are found in two at a time get errors, and others may wait in vain: programs order
// their calls. Nothing but the collectives synchronises
// ranks: neither Init nor Finalize does (outside of measurements that stop ranks
// there on purpose).
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
// # Not implemented
//
// By chapter of MPI 4.1:
//
//   - 3: ready mode (Send is as fast); buffers to attach (Bsend copies to the heap); persistent
//     sends in buffered mode; cancel of sends to others, which MPI deprecates (ErrCancelSend).
//   - 4: partitioned communication.
//   - 5: packing, and derived datatypes as values of the standard. View and package datatype are
//     what there is.
//   - 7: intercommunicators.
//   - 8: reordering of ranks, and MPI_Graph_create.
//   - 10, 11: info objects, sessions and ports (Comm.Spawn starts ranks).
//   - 12: dynamic windows, epochs of Post and Start, operations with requests.
//   - 14 of MPI 5.0: nonblocking and split calls of files (a goroutine makes them), and data representations.
package mpi
