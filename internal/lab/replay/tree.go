package replay

import "github.com/gopvas/gopvas/trace"

// item is a call, or something that happened outside of calls, with what happened in it.
type item struct {
	*trace.Event
	within []item
}

// tree puts the events of a thread of a rank in the order of their starts, those within a call below it.
// An event is written when it ends, so those within a call stand before it. Only few calls are made of calls
// (trace.Kind.Compound). A call that had ended when the next one began is not within that, even if both have the same
// start: a short send, whose start is an estimate, may take no time. Calls on files and windows are left out: what they
// do without calls is computation to the model.
func tree(events []trace.Event, of func(i int) bool) (top []item) {
	for i := range events {
		e := &events[i]
		if !of(i) || e.Kind == trace.CPU || e.Kind == trace.Lost || e.Kind.Outside() {
			continue
		}
		it := item{Event: e}
		if e.Kind.Call() {
			from := len(top)
			for from > 0 && top[from-1].Start >= e.Start && !(top[from-1].Kind.Call() && top[from-1].End <= e.Start) {
				from--
			}
			within := top[from:]
			top = top[:from]
			for _, w := range within {
				if w.Kind.Call() && !e.Kind.Compound() {
					top = append(top, w)
				} else {
					it.within = append(it.within, w)
				}
			}
		}
		top = append(top, it)
	}
	return top
}

// stalledBehind returns how long the rank has waited, behind the end of a call, for space to record it.
// A call is recorded after its end is read, so the trace has that stall before the call.
func (it *item) stalledBehind(end int64) (ns int64) {
	for i := range it.within {
		w := &it.within[i]
		if w.Kind == trace.Stall {
			ns += behind(w.Event, end)
		}
		ns += w.stalledBehind(end)
	}
	return ns
}

// behind returns how much of an event lies behind a time.
func behind(e *trace.Event, at int64) int64 { return max(e.End-max(e.Start, at), 0) }

// clock tells how much CPU time a rank has had in its computations.
type clock struct {
	samples []*trace.Event
}

func newClock(events []trace.Event) (c clock) {
	for i := range events {
		if events[i].Kind == trace.CPU {
			c.samples = append(c.samples, &events[i])
		}
	}
	return c
}

// computed returns how long a rank has computed until a call began, at most: the time since the
// last call, without what the process has been without a CPU since the last sample.
func (c *clock) computed(from, to int64) int64 {
	gap := to - from
	for len(c.samples) > 1 && c.samples[1].Start <= to {
		last, now := c.samples[0], c.samples[1]
		c.samples = c.samples[1:]
		if now.Start == to && now.Start > last.Start {
			lack := (now.Start - last.Start) - int64(now.Bytes-last.Bytes)
			gap = max(gap-max(lack, 0), 0)
		}
	}
	return gap // below 0 where times are estimates that overlap
}
