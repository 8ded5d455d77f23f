package debug

import "github.com/gopvas/gopvas/internal/msg/comm"

// Path counts the messages that went one way, and their bytes.
type Path = struct{ Messages, Bytes uint64 }

// Statistics is what the messages of a rank have cost.
type Statistics struct {
	Inline     Path // sent within a slot of the receiver's queue
	Eager      Path // sent through a buffer: copied in and out
	Rendezvous Path // sent by rendezvous: announced first
	Self       Path // from this rank to itself

	Direct    Path // rendezvous received straight from the sender's memory: one copy
	CMA       Path // received by process_vm_readv: one copy, by the kernel
	Pipelined Path // received block by block: copied in and out

	HelpedBytes    uint64 // bytes of direct messages that their sender copied
	Copies         uint64 // times that a message's bytes were copied by this rank, each block's copy apart
	Received       uint64 // messages from other ranks
	Queued         uint64 // sends that had to wait for room at the receiver
	NoRoom         uint64 // times that the receiver's queue was full
	NoCredit       uint64 // times that the receiver was too far behind for an eager message
	Unexpected     uint64 // messages that came before their receive
	UnexpectedHigh int    // most such messages at one time
	Sleeps         uint64 // times that this rank went to sleep
	Wakes          uint64 // times that it woke a rank that slept
}

// Messages returns the statistics of this process' rank.
func Messages() Statistics { return Statistics(comm.World().Stats()) }
