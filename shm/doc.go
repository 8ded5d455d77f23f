// Package shm holds the parts that shared memory is built of: data structures
// that work between processes which have the same memory mapped, be it at the
// same address (one address space) or at different ones. Nothing in them is a
// pointer; zeroed memory is a valid initial state; a process killed at any
// instruction leaves the structure usable by the others.
//
// A thread sleeps on an Event, and Look, Nap and sleeping for good are the stages of every
// wait (see wait.go); the ring (Producer, Consumer) is a queue of short
// messages with many producers; a Pair carries what two ranks that talk owe one
// another, credit and buffers of a pool.
package shm
