package comm

import (
	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/coll/cad/shared"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/msg/recorder"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/trace"
)

// Path counts the messages that went one way, and their bytes.
type Path = struct{ Messages, Bytes uint64 }

// Statistics is what the messages of a rank have cost since Init.
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

// Stats returns the statistics of this process' rank, on whatever communicator. It does
// not block.
func (c *Comm) Stats() Statistics {
	if c.made() != nil {
		return Statistics{}
	}
	return statistics(c.engine.Stats())
}

// GraphStatistics is what a rank has executed of nonblocking collective operations and
// graphs, its own and others'.
type GraphStatistics = shared.Counters

// GraphStats returns what this process' rank has executed since Init, on whatever
// communicator. It does not block for long.
func (c *Comm) GraphStats() GraphStatistics {
	if c.made() != nil {
		return GraphStatistics{}
	}
	return c.graphs.Counters()
}

// PublishedStats returns the statistics of any rank of a job, as it has published them
// last: when it called Stats, went to sleep, or finalized. It is for whoever watches
// the job.
func PublishedStats(root *job.Root, rank int) Statistics {
	s := pml.Published(root, rank)
	values := root.Counters(rank)
	s.Counters = btl.CountersOf(values[:])
	return statistics(s)
}

// Plus adds two ranks' statistics up; of UnexpectedHigh it takes the higher.
func (s Statistics) Plus(o Statistics) Statistics {
	for _, p := range []struct{ to, from *Path }{
		{&s.Inline, &o.Inline}, {&s.Eager, &o.Eager}, {&s.Rendezvous, &o.Rendezvous}, {&s.Self, &o.Self},
		{&s.Direct, &o.Direct}, {&s.CMA, &o.CMA}, {&s.Pipelined, &o.Pipelined},
	} {
		p.to.Messages += p.from.Messages
		p.to.Bytes += p.from.Bytes
	}
	s.HelpedBytes += o.HelpedBytes
	s.Copies += o.Copies
	s.Received += o.Received
	s.Queued += o.Queued
	s.NoRoom += o.NoRoom
	s.NoCredit += o.NoCredit
	s.Unexpected += o.Unexpected
	s.UnexpectedHigh = max(s.UnexpectedHigh, o.UnexpectedHigh)
	s.Sleeps += o.Sleeps
	s.Wakes += o.Wakes
	return s
}

func statistics(s pml.Stats) Statistics {
	return Statistics{
		Inline:         Path{s.InlineSent, s.InlineBytes},
		Eager:          Path{s.EagerSent, s.EagerBytes},
		Rendezvous:     Path{s.OfferedSent, s.OfferedBytes},
		Self:           Path{s.SelfMessages, s.SelfBytes},
		Direct:         Path{s.DirectCopied, s.DirectBytes},
		CMA:            Path{s.CMACopied, s.CMABytes},
		Pipelined:      Path{s.PipelinedCopied, s.PipelinedBytes},
		HelpedBytes:    s.HelpedBytes,
		Copies:         s.InlineSent + s.EagerSent + s.Received + s.SelfMessages,
		Received:       s.Received,
		Queued:         s.Queued,
		NoRoom:         s.RefusedRing,
		NoCredit:       s.RefusedCredit,
		Unexpected:     s.Unexpected,
		UnexpectedHigh: s.UnexpectedHigh,
		Sleeps:         s.Sleeps,
		Wakes:          s.Wakes,
	}
}

// Use is what calls of a kind have cost a rank.
type Use struct {
	Calls, Bytes uint64
	Time         uint64 // ns in the calls
}

// Uses are those of calls that are no messages.
type Uses struct {
	Read, Written                  Use // files
	Put, Got, Accumulated, InEpoch Use // windows; the last are calls that begin and end epochs
}

// The first counter of a Use among those that a rank publishes.
const (
	readSlot = 40 + 3*iota
	writeSlot
	putSlot
	getSlot
	accumulateSlot
	epochSlot
)

// Tally is a call that is no message, on a file or a window, to be counted and recorded.
type Tally struct {
	comm   *Comm
	kind   trace.Kind
	start  int64
	record uint64
}

// BeginTally begins a call of the ranks of c, or on none.
func (c *Comm) BeginTally(k trace.Kind) Tally {
	if c.made() != nil {
		return Tally{}
	}
	return Tally{c, k, sys.Monotonic(), c.engine.Calls().Begin()}
}

// End ends it, after so many bytes were moved. peer is the rank of the job that it is about; -1: none.
func (k Tally) End(bytes, peer int, err error) {
	c := k.comm
	if c == nil {
		return
	}
	if slot := slotOf(k.kind); slot >= 0 {
		c.root.AddCounters(c.group.self, slot, 1, uint64(bytes), uint64(sys.Monotonic()-k.start))
	}
	w := recorder.What{Bytes: uint64(bytes), Context: c.team.Context, Peer: int32(peer)}
	if err != nil {
		w.Flags = trace.Failed
	}
	c.engine.Calls().End(k.kind, k.record, w)
}

// slotOf is the counter of a kind of calls; -1: they are not counted.
func slotOf(k trace.Kind) int {
	switch k {
	case trace.FileRead, trace.FileReadAll:
		return readSlot
	case trace.FileWrite, trace.FileWriteAll:
		return writeSlot
	case trace.WinPut:
		return putSlot
	case trace.WinGet:
		return getSlot
	case trace.WinAccumulate:
		return accumulateSlot
	}
	if k.Epoch() {
		return epochSlot
	}
	return -1
}

// UsesOf returns what a rank of a job has used so far.
func UsesOf(root *job.Root, rank int) Uses {
	v := root.Counters(rank)
	use := func(slot int) Use { return Use{v[slot], v[slot+1], v[slot+2]} }
	return Uses{use(readSlot), use(writeSlot), use(putSlot), use(getSlot), use(accumulateSlot), use(epochSlot)}
}

// Tallied tells whether calls on windows are counted or recorded.
func Tallied(c *Comm) bool { return c.engine.Calls().Recorded() || c.root.Settings().Stats }
