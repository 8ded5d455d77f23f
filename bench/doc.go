// Package bench holds the benchmarks that pvasrun brings along: rank programs
// that measure, and drivers that run them under the launcher, once in each task
// model, and return what was found.
//
// pvasrun is its own rank program: a driver starts the same executable again
// with RankCommand as its first argument, and RankMain, which main calls first,
// takes over there. So nothing needs to be built to measure.
//
// touch is the page-table experiment of the PVAS paper (package pagetable names it), from
// its evaluation of memory: see Touch. footprint is its memory experiment, with Alltoall:
// see Footprint.
//
// pingpong, pingping, bw, mbw_mr, ring and copy measure messages between two ranks and
// around many, barrier, bcast and others collective operations: see Timed. Installed
// MPIs run the same loops in C (peer/) in turn with ours: see Peer.
//
// column, struct, halo and transpose measure messages of data that does not lie in one piece,
// beside the plain loop that copies the same elements: see Layouts and Loop.
//
// overlap computes while nonblocking collectives are underway, the experiment of the KACC
// paper: see Overlap, Chain and Graphs.
//
// exchange sends messages to neighbors through several network devices of several nodes: see
// Exchange.
//
// NPB runs the NAS Parallel Benchmarks of package npb.
//
// AllConfig makes all of them into the evaluation of the paper: an Experiment for each
// table and figure, whose rounds package results keeps and package report shows.
package bench
