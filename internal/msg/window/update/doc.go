// Package update changes elements of a window (accumulates; MPI 5.0, section 12.3.4), atomically for each of them among
// all that have one predefined type. Elements are changed under the lock of a stripe of memory, by the kernels of
// reductions; integers of which calls name one alone, by instructions of the processor. There is no lock of a window or
// a target. Package lock says in stripe.go how both go together. Memory of another process that is not mapped has no
// instructions, nor for its owner.
package update
