// Package numa has the memory of a rank lie on the rank's own NUMA node, where other ranks write to it first.
//
// The kernel takes a page from the node of the thread that touches it first. What a launcher has reserved for a rank
// has a node whoever touches it. The heaps of C and Go have none: their runtimes map memory as they need it. Peers
// of one address space write to buffers there. So the owner touches the pages that are missing, before a peer
// may write.
//
// That costs a system call for each 1,024 pages of each such buffer that is not short. It costs nothing where the
// owner is bound to no node, or the machine has one. Memory that the runtime allocates, as that of windows, gets a
// policy of its own instead: Bind.
package numa
