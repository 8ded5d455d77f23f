package shared

import (
	"errors"

	"github.com/gopvas/gopvas/internal/msg/coll/cad"
)

var errTooManyChannels = errors.New("nonblocking collective operations on too many communicators")

// slotOf returns where in a pool's table to begin to look for a context.
func slotOf(context uint32) uint32 { return context * 0x9e3779b1 >> 22 % maxChannels }

// find returns the record of a rank's channel, nil if it has issued nothing on it.
func (e *Engine) find(rank int, context uint32) *record {
	p := e.pool(rank)
	if p == nil {
		return nil
	}
	for i := slotOf(context); ; i = (i + 1) % maxChannels {
		at := p.channels[i].Load()
		if at == 0 {
			return nil
		}
		if rec := recordAt(at); rec.context.Load() == context+1 {
			return rec
		}
	}
}

// record returns this rank's own record of a channel, which it makes at the first
// issue. If a member has given up before, it cannot have told us. So a rank that makes a
// record, which others find from then on, looks at the records of all others afterwards. And
// a rank that gives up notes that in its own record before it looks at those of all others.
// The same holds for a rank that waits for graphs of this one: see run.expect.
// e.mu is held.
func (e *Engine) record(c *cad.Channel) (rec *record, err error) {
	s := cad.StateOf[place](c)
	p, err := e.ownPool()
	if err != nil || s.own != nil {
		return s.own, err
	}
	rec = e.records[c.Context]
	if rec == nil {
		if len(e.records) >= maxChannels*3/4 {
			return nil, errTooManyChannels
		}
		at, err := e.recordLines.take(recordSize / cacheLine)
		if err != nil {
			return nil, err
		}
		rec = recordAt(at)
		rec.context.Store(c.Context + 1)
		i := slotOf(c.Context)
		for p.channels[i].Load() != 0 {
			i = (i + 1) % maxChannels
		}
		p.channels[i].Store(at)
		e.records[c.Context] = rec
	}
	s.own = rec
	for member := range c.Size {
		o := e.find(c.RankOf(member), c.Context)
		if o == nil {
			continue
		}
		if o.broken.Fault() != 0 {
			rec.broken.Note(o.broken.Failure())
		}
		if o.expecting.Load() != 0 {
			setBit(&rec.awaited, c.RankOf(member)%64)
		}
	}
	return rec, nil
}

// Forget makes a context ready for another channel: a rank calls it when it is through with
// the former one, before any member of the next issues anything on that.
func (e *Engine) Forget(context uint32) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if rec := e.records[context]; rec != nil {
		rec.former.Store(rec.issued.Load()) // until the rank has the next one: see through
		rec.issued.Store(0)
		rec.broken.Reset()
		for i := range rec.ring {
			rec.ring[i].Store(0) // of graphs that were given up
		}
	}
}

// Reuse notes that this rank has a channel again with a context that it has forgotten.
func (e *Engine) Reuse(context uint32) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if rec := e.records[context]; rec != nil {
		rec.former.Store(0)
	}
}
