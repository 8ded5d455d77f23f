// Package recorder writes what a rank does into memory that it shares with its supervisor. The
// supervisor takes it out and writes it to a file of package trace.
//
// # The buffer of a rank
//
// A rank has one or more lanes, each a ring of records with one writer and one reader. The main
// lane belongs to the goroutine that holds the lock of the rank's message engine. The other
// one is for the nodes of graphs that the rank executes: a lock of coll/cad guards it.
//
//   - The writer fills the record number next, then publishes next+1 in head. It reads tail
//     only when the ring is full as far as it knows.
//   - The reader takes the records from tail to head, writes them to the file, and then
//     stores tail: only from there on the writer may use them again.
//
// head is published with the next stamp of the clock, by a store of assembly that keeps the
// order: a plain one on amd64, where stores are seen in their order, STLR on arm64. Before a
// rank sleeps it publishes all. So a rank that is killed loses the event that it wrote last,
// and no other rank loses anything.
//
// When its ring is full the rank sleeps until the reader has taken records, for patience at most, and says so by a
// Stall event. After that it counts what it does not record (Lost) until there is space
// again: a supervisor that is stopped, or a disk that is full, costs events and never the job.
//
// # The clock
//
// Where the kernel trusts the time stamp counter (on arm64 the virtual one), one instruction reads it. Else ticks are
// nanoseconds of CLOCK_MONOTONIC. The supervisor chooses for all ranks, and notes pairs of
// ticks and time in the file.
//
// The supervisor sleeps in an event of the first rank's buffer. A rank notifies it each time
// that it has filled half of a lane: a system call in many thousand events. Besides, the
// supervisor looks every 20 ms.
//
// # Places
//
// Calls are recorded with the place in the program that makes them: see site.go, and code.go for C.
package recorder
