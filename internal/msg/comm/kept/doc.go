// Package kept has blocks of memory that a rank keeps by a name for those that outlive it, with a version of each. When
// the rank has failed, others read its blocks where they lie: nothing is copied before.
//
// # Who writes what
//
// The rank alone writes: its directory, its blocks and their versions. Others read all that only after the rank has
// gone (job.Root.MarkGone), and so after its last store. They never read what is still written. So there is one
// question: what is there if the rank ends between any two instructions?
//
//   - A slot is kept or not by its state. It is stored last when a block is kept, and first when it is freed. So the
//     place, the length and the name of a slot that is kept are whole.
//   - The program stores a version by an atomic operation, after what it says. Neither the compiler nor the CPU has it
//     go before earlier stores. So all that the program has stored before a version is there when that is.
//   - It does not say what the program has stored since. So a program that changes a state in place leaves one that may
//     be half changed. One that is to be whole has two halves, and the version says which one is not being written: see
//     mpi.Kept.
//
// The blocks of a rank that has failed stay until the job ends: its place is never used again.
package kept
