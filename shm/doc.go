// Package shm holds the parts that shared memory is built of: data structures
// that work between processes which have the same memory mapped, be it at the
// same address (one address space) or at different ones. Nothing in them is a
// pointer; zeroed memory is a valid initial state; a process killed at any
// instruction leaves the structure usable by the others.
//
// Now there is Event, to sleep on. Queues, free lists and the arena that messages
// need are not implemented yet.
package shm
