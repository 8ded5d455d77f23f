package sim

import (
	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/graph"
)

// Messages that cross. A rank that sends takes part in the way of a message to itself later than one that
// waits for it. So a message takes longer if its receiver sends one at the same time: by the Crossing
// of its length, as far as the two are on their way together. This is known when the message is there.
// It is put off then, once.

// span is how long a message was on its way.
type span struct{ from, until float64 }

// sends notes the last message of a rank, until it would be there alone: while it waits for others at a wire of its
// receiver the rank does nothing for it.
func (e *engine) sends(rank int32, from, until float64) {
	if e.sending != nil {
		e.sending[rank] = span{from, until}
	}
}

// putOff tells whether a message that is there takes longer. If so, its event comes again.
func (e *engine) putOff(ev event, id uint32, op *graph.Op, p *loggps.Params) bool {
	if e.sending == nil || ev.mark() != markNone || op.Rank == op.Peer {
		return false
	}
	if _, again := e.crossed[id]; again {
		return false
	}
	_, queued := e.queued[id]
	if _, late := e.gone[id]; late || queued {
		return false
	}
	more := p.Crossing(op.Size)
	if more == 0 {
		return false
	}
	own := e.way(id, op, p)
	more *= own.within(e.sending[op.Peer])
	if own.until+more <= e.now {
		return false
	}
	e.crossed[id] = more
	e.log.set(e.ops[id].mate(), 1, makeRef(id, atDelivery))
	e.push(own.until+more, id, phaseData)
	return true
}

// way is how long a message was on its way that is there: of a rendezvous since its data was sent.
func (e *engine) way(id uint32, op *graph.Op, p *loggps.Params) span {
	if p.Eager(op.Size) {
		at := e.ops[id].at
		return span{at, at + p.T1(float64(op.Size)) + p.Transit(op.Size)}
	}
	return span{e.now - p.Control() - p.T1Long(float64(op.Size)) - p.Transit(op.Size), e.now}
}

// within returns which share of a span is within another.
func (s span) within(other span) float64 {
	if s.until <= s.from {
		return 0
	}
	return max(min(s.until, other.until)-max(s.from, other.from), 0) / (s.until - s.from)
}
