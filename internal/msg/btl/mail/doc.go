// Package mail is the message part of modules whose ranks share memory, be it one
// address space or mapped segments: a Box is the messages of one rank, and implements
// btl.Messages on top of btl.Memory. What differs between task models is found by
// asking the memory: whether a peer's buffer can be read where it lies (Direct).
//
// # What lies where
//
// Each rank has one mailbox in its shared memory (layout.go): the ring that it
// receives from (shm/ring.go), one shm.Pair for each peer that it sends to, and the
// descriptors of the transfers that it offers. A peer attaches the mailbox on first
// contact. Eager buffers of a pair and the staging blocks of the pipeline are
// allocated on first use. All of this is address space until it is touched: a pair
// that talks in short messages costs one cache line. A pair that has used eager buffers has
// touched 8 of them (32 KiB by default), and at most 256 KiB after a flood. With many ranks
// on the node it has fewer, so that a rank's buffers for all receivers stay below 1 MiB. It
// has at least one: with 240 ranks that is one, and no longer than its messages (buffers.go).
//
// # Paths of a message
//
//	inline     up to InlineLimit bytes, in the slot of the ring
//	eager      up to job.Settings.EagerLimit, in a buffer of the sender that the slot names
//	zero-copy  above InlineLimit, one address space, receiver waiting, or, from zeroCopyFrom
//	           on, sender going on: see fallback.go
//	direct     an offer; the receiver copies from the sender's buffer, and for longer
//	           messages so does the sender, part by part; done is a store
//	cma        an offer; the receiver calls process_vm_readv; done is a store; see trial.go
//	pipelined  an offer; the sender fills staging blocks, the receiver drains them
//	staged     one address space, from a thin layout: pipelined, the first block is filled
//	           before the offer; see staged.go
//
// Cache lines that move between two CPUs for one message, payload lines (p) of 64
// bytes each, which have to be fetched and, before the next writing, taken back:
//
//	inline, <= 24 bytes  2    the slot: taken by the sender, fetched by the receiver
//	inline, longer       4    both lines of the slot
//	eager                2+2p and per 4 messages 2 for the buffers' return, per 32
//	                          messages 2 for credit
//	zero-copy            4+p  the slot, and the line of the descriptor that says done, which
//	                          nobody waits for; a payload line moves back only if the
//	                          sender writes to it again
//	direct, short        4+p  the slot, and the line of the descriptor that says done
//
// # Waiting
//
// A rank sleeps on its inbox event in the job's root block. A rank that changes what another
// may wait for does so by an atomic store, and then calls Notify. So do Send and Offer
// (a message), the receiver of a transfer (done, accepted, drained), and its sender (filled).
// So do the consumer of a ring that was full (Starve), the supervisor (a rank has gone), and
// a rank that opens its mailbox. Nobody waits in any other way, and nothing waits with a message half sent: a method
// does what can be done now and returns.
//
// # Death
//
// A rank may be killed at any instruction. Its ring slots are stepped over when
// claimed and not published (shm/ring.go). A transfer whose other end has gone returns
// a *fault.LostError from Progress, unless it is done. Bytes that a dead rank has sent
// eagerly are delivered: they lie in memory that stays until the job ends.
package mail
