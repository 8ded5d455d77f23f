// Package net is the BTL between nodes: messages through package suci, over UDP. It has no
// shared memory, so its module is btl.Messages alone, and a rank has it beside the module
// of its own node (pml.Engine.AddPeers).
//
//	m, err := net.Open(root, rank)
//	engine.AddPeers(m, far)
//
// # A socket per rank
//
// Each rank has an endpoint of suci, a socket of its own, on each device. The alternative is a
// socket per node, and one process that takes the packets for all ranks of the node. Then each
// message would wake two processes instead of one, and a busy process between the ranks would
// serialise what they do. The kernel sorts packets by port at no cost. An idle socket takes some
// 2 KiB of the kernel's memory: its buffers are bounds, not reservations. A socket per node would
// save sessions. But a session takes 1 KiB at each end, and only pairs that talk have one.
//
// # Messages
//
// A message is a block of suci: a header, then the payload if it is eager. Headers and
// eager payloads to a peer share one lane of suci, which keeps their order. A long message
// is offered. The receiver answers with a grant, which names a place. The sender's bytes
// travel in another lane, and suci puts them straight into the receiver's buffer. If either
// buffer has a layout, the sender packs parts of partSize bytes, and the receiver unpacks them.
//
//	sender               receiver
//	  offer(id)  ------>   Frame.Offered
//	             <------   grant(id, landing, from, length)  Accept
//	  pieces     ======>   landing
//	                       ...                               the next part
//
// # Devices
//
// A rank has an endpoint on each network device of its node (job.Root.Devices). Package devices sends by them: the
// bytes of a grant in pieces, by several devices, and short messages by any, in their order. A place of suci says where
// in the landing a piece belongs, so the receiver need not know how the bytes were divided (package landing).
//
// The sender's transfer is over when the receiver's endpoint has acknowledged the last bytes;
// or when the receiver grants none, because it drops the message.
//
// What the receiver has not released is bounded per pair (credit). Each header says how
// much has been released so far; a message of its own says it if there is nothing else to
// be sent.
//
// # Waiting
//
// A rank waits for two things: packets, and the inbox in the root block, by which the ranks
// of its node and the supervisor notify it. No system call waits for both a socket and a
// futex (but those of io_uring, which many systems forbid). So the rank sleeps in its sockets, all
// of them at a time, where a wake-up costs most already. The watcher, a goroutine that follows the inbox's count,
// wakes it there. A notification takes one wake-up more, and only if the rank sleeps. The
// watcher is asleep otherwise. It costs a notifier nothing, since it does not count as a
// sleeper of the inbox. See watch.
//
// The lock of the engine orders all calls but those of suci's keeper, a goroutine that receives
// packets of all devices while the rank computes. The words that it shares with the rank are atomic.
//
// # Ranks that go
//
// The supervisor notes that a rank has gone, on this node or another. Then the module first
// hands over all messages that have come from it. Next it forgets the peer, and transfers to and
// from it fail with a *fault.LostError. Before a rank ends well, its peers have acknowledged all
// that it has sent (Flush).
// A peer that does not answer at all, while the supervisors still hear of one another, is an
// error of the module's sleep: see UnreachableError.
//
// # Other jobs
//
// Visitors (package job) are peers as any others, with a key for each job. In a job of one node the module is for them
// alone: it has one device, on all addresses of the machine. Who hears of it knows which one to take.
//
// # Not implemented
//
// Messages from a rank to itself.
package net
