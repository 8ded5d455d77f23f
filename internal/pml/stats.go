package pml

import (
	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/job"
)

// Stats counts the cost of a rank's messages so far. All of it but UnexpectedHigh
// only grows.
type Stats struct {
	btl.Counters // messages between ranks, by path, of all modules

	SelfMessages, SelfBytes uint64 // messages from this rank to itself
	Queued                  uint64 // sends that had to wait because the ring of their peer was full
	Unexpected              uint64 // messages that arrived before their receive
	UnexpectedHigh          int    // most such messages at one time
	Parks                   uint64 // waits that left progress to another goroutine of the rank
	Nudges                  uint64 // times a goroutine woke the one that sleeps for the rank

	unexpectedNow, matchedNow int
}

// firstSlot is where the engine's counters begin among those that a rank publishes
// in the job's root block; those before are the modules'.
const firstSlot = 24

// publish makes the counters of the engine and its modules visible to the supervisor.
func (e *Engine) publish() {
	s := &e.stats
	s.Counters = e.routes.Counters()
	s.Parks, s.Nudges = e.line.Counts()
	e.row = s.Counters.Append(e.row[:0])
	e.job.PublishCounters(e.rank, 0, e.row...)
	e.row = append(e.row[:0],
		s.SelfMessages, s.SelfBytes, s.Queued, s.Unexpected, uint64(s.UnexpectedHigh), s.Parks, s.Nudges)
	e.job.PublishCounters(e.rank, firstSlot, e.row...)
}

// Published returns the engine's part of the statistics that a rank has published:
// when it went to sleep, finalized, or asked for them.
func Published(root *job.Root, rank int) Stats {
	v := root.Counters(rank)
	c := v[firstSlot:]
	return Stats{
		SelfMessages: c[0], SelfBytes: c[1], Queued: c[2], Unexpected: c[3],
		UnexpectedHigh: int(c[4]), Parks: c[5], Nudges: c[6],
	}
}

// Stats returns the statistics of this rank so far, and publishes them.
func (e *Engine) Stats() Stats {
	e.lock()
	defer e.unlock()
	e.publish()
	return e.stats
}
