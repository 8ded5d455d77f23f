// Package shm holds the parts that shared memory is built of: data structures
// that work between processes which have the same memory mapped, be it at the
// same address (one address space) or at different ones. Nothing in them is a
// pointer; zeroed memory is a valid initial state; a process killed at any
// instruction leaves the structure usable by the others.
//
// A thread sleeps on an Event, and a Waiter has the stages of every wait of a rank; the ring (Producer, Consumer) is a
// queue of short messages with many producers; a Pair carries what two ranks that talk owe one another, credit and
// buffers of a pool.
//
// # Processors with a weak order
//
// amd64 shows stores in their order; arm64 does not. All protocols of ranks rest on the atomic operations of Go,
// and on those of C of the same strength, and on nothing of the processor:
//
//   - What is written plainly is published by an atomic operation after it (STLR, or one with release), and read after
//     an atomic load that has found that (LDAR). Nothing of amd64 stands in for either.
//   - Where each of two sides changes its own word and then loads the other's, both words are atomic: arm64 keeps the
//     order of STLR and a later LDAR. It need not keep that of an addition and a later plain access, without LSE.
//   - A reader that looks at a number, reads, and looks at the number again reads atomic words: a plain load may come
//     after the second look.
//   - A plain store may be seen before the compare-and-swap that has claimed its place. Nobody reads a claimed place
//     before it is published.
//
// Memory of windows, which programs load and store plainly, has a barrier of its own (internal/msg/window).
package shm
