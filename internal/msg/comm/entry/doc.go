// Package entry lets one goroutine at a time into the collective operations of a communicator, and finds those that
// come at the same time. MPI forbids them (MPI 4.1 section 6.14): other ranks may meet them in another order, and calls
// that are alike then mix their data. So a call that finds another one inside is a racer. Both calls are made, in the
// order in which they came, since other ranks wait for them. Both are told, unless the first one leaves before the
// racer has said that it waits. A racer whose call makes a communicator, a window or a file gets none, though other
// ranks have theirs. Such a call is inside with all its steps.
//
// Ranks whose calls began in another order may wait in vain. The supervisor proves that, and ends the job (job.Prove).
// It has no proof for goroutines that each wait in another nonblocking operation, if these differ in kind or length.
// Calls that do not overlap are not found, whatever their order. Starts of persistent operations do not look here:
// ranks may start these in any order.
//
// # Words
//
// The goroutine inside has swapped held from 0 to 1, and alone touches call and met. A racer stores itself in racer,
// and then tries to swap held. A call that leaves stores 0 in held, and then loads racer. So one of the two sees the
// other: the racer enters, or is sent a token. A token may be of an earlier leave: a racer tries again after each.
//
// A short nonblocking operation uses the ring of the board, which a blocking one has to itself. It counts itself at the
// ring and then loads held. A blocking one swaps held and then loads that count. So one of the two sees the other.
package entry
