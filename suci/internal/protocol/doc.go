// Package protocol is the state machine of Suci: all of the protocol and none of the
// input and output. It has no goroutines, clocks or sockets. Events go in (a datagram
// arrived, the program queued a block, time passed); packets, complete blocks and the
// time of the next timer come out. The same events in the same order give the same
// results, so tests replay a lossy network from a seed.
//
// The layers, from the bottom up:
//
//	control, rtt     how much may be under way: one controller, used at both ends
//	sender, receiver one lane each: sequence numbers, window, acknowledgement, resending
//	grants           the receiver shares its budget over all lanes of all senders
//	transmit         the sender chooses the next lane; pacing; packets into a Batch
//	peer, greet      the address table, sessions and incarnations
//	Machine          dispatch, timers, memory
//
// Invariants, checked by the tests on every event:
//
//   - A block is delivered exactly once, whole, or its sender gets an error.
//   - Blocks of one source and priority are delivered in the order they were queued.
//   - No packet with a number at or above the limit that the receiver gave is sent, and
//     none is sent again before the receiver has asked for it.
//   - The machine holds at most Config.Memory bytes of blocks, Config.PeerMemory per peer.
//   - As long as the network loses less than everything, every wait ends.
package protocol
