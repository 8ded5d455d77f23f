// Package goal reads and writes graphs in GOAL, the text format of LogGOPSim:
//
//	num_ranks 2
//	rank 0 {
//	a: calc 1000
//	b: send 8b to 1 tag 7
//	b requires a
//	}
//	rank 1 {
//	recv 8b from 0 tag 7
//	}
//
// The grammar, with the options in any order, each once; what is left out is 0:
//
//	[label:] send BYTESb to RANK [tag T] [cpu C] [nic N]
//	[label:] recv BYTESb from RANK|-1 [tag T|-1] [cpu C] [nic N]
//	[label:] calc NANOSECONDS [cpu C]
//	LABEL requires LABEL
//	LABEL irequires LABEL
//
// Labels belong to a rank and stand before their use. // comments to the end of the line,
// /* to the next */. A rank that has no block does nothing. The input may be compressed
// with gzip. It is read in a stream: memory is needed for the graph and the labels of one
// rank.
//
// Reading is more lenient than LogGOPSim in layout; writing is strict, so that LogGOPSim
// reads the result. GOAL has no nonblocking calls and no Wait: an Isend is written as a
// send, an Irecv as a recv, and a Wait as a calc of 0 ns that requires what it awaits.
package goal
