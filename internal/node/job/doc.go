// Package job is the agreement between the process manager and the ranks of a job: the
// environment a rank starts with, and a block of memory, the root block, that
// tells where everything else lies and which ranks live. It is the meeting point of two
// halves of the project that do not know each other (design: messages and
// processes), so it has no policy: it starts nobody and sends nothing.
//
// # Job memory
//
// A job has one memfd on each node. Its file holds the root block first and then, in a job of
// the sm task model, one sparse segment per rank (SegmentOffset). The supervisor creates it
// (Create) and passes it on by descriptor. So nothing of it is ever visible in a file system,
// and nothing is left after any kill. One for each rank would cost a descriptor for each pair.
// A rank finds it by its environment (Join):
//
//	PVAS_RANK=2              which rank this process is
//	PVAS_SIZE=8              of how many
//	PVAS_JOB=fd:3            sm: the memfd, inherited as descriptor 3
//	PVAS_JOB=addr:0x7f00...  pvas: the address of the root block, in this very process
//	PVAS_PROGRAM=/abs/path   the user's program (/proc/self/exe is the host in pvas)
//
// Everything else that all ranks must have alike, the Settings, the supervisor writes
// into the root block. No rank reads a setting from its environment.
//
// The layout of the root block is an ABI between processes that may have been built
// from different versions of this module. So Join and Map check a magic number, a
// version and the size of each structure. They refuse with a *LayoutError before
// they trust anything else in it. layout.go documents each word, its writer and its
// order.
//
// # Life and death
//
// A rank is gone when the supervisor has reaped it and called MarkGone, in whatever way it
// ended. Every wait of this package ends then: the hold points return a *LostError naming the
// rank unless the wait was fulfilled first. A rank may be killed at any instruction; the
// argument that this leaves nobody waiting stands at each wait. Should the supervisor die, the
// space host and the parent-death signal kill all ranks; no word of this block is needed for
// that.
//
// Paper: Shimada, Hori and Ishikawa, "Implementing Many-core Friendly MPI Intra-node
// Communication with New Task Model", IPSJ, 2015. The hold points are its method of
// measuring page tables (its evaluation): all tasks stopped right before their end.
//
// Not implemented: jobs that grow or shrink, and ranks that are replaced.
package job
