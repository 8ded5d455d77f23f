package job

import "time"

// A Record is the state of one rank in the root block of a node, to be sent to another node: for
// the report of a hang, and for statistics.
type Record struct {
	Rank, Pid int
	State     State
	Gone      bool
	Waits     bool
	Waiting   Waiting       // if it waits; Since and Seen mean nothing
	Age       time.Duration // since when it waits: each node has a clock of its own
	Seen      time.Duration // since when it has said this
	Answer    Answer
	Polls     Polls // if it does not wait
	For       []int // Collective.Ranks
	Counters  []uint64
	Calls     []uint64
	World     uint32      // rankBlock.world
	Devices   []DeviceUse // of the network devices of its node
	Far       FarSends
}

// Record returns the state of a rank at a time, on the clock of Waiting.Since.
func (r *Root) Record(rank int, now time.Duration) Record {
	counters, calls := r.Counters(rank), r.Calls(rank)
	c := Record{
		Rank: rank, Pid: r.Pid(rank), State: r.State(rank), Gone: r.Gone(rank), World: r.block(rank).world.Load(),
		Far: r.FarSends(rank), Counters: counters[:], Calls: calls[:],
	}
	if c.Waiting, c.Waits = r.Waiting(rank); c.Waits {
		c.Age, c.Seen = now-time.Duration(c.Waiting.Since), now-time.Duration(c.Waiting.Seen)
		c.For = c.Waiting.Collective.Ranks()
	} else {
		c.Polls = r.Polls(rank)
	}
	c.Answer = r.Answered(rank) // after the record: see Answer
	for device := range r.Devices() {
		c.Devices = append(c.Devices, r.DeviceUse(rank, device))
	}
	return c
}

// Restore notes the state from another root block at a time which here is now. No rank uses the
// root block.
func (r *Root) Restore(c Record, now time.Duration) {
	b := r.block(c.Rank)
	b.pid.Store(uint32(c.Pid))
	r.SetState(c.Rank, c.State)
	if c.Gone {
		r.MarkGone(c.Rank)
	}
	b.world.Store(c.World)
	r.ClearWaiting(c.Rank)
	if c.Waits {
		w := c.Waiting
		w.Since, w.Seen = int64(now-c.Age), int64(now-c.Seen)
		missing := w.Collective.Missing
		w.Collective.Missing = 0
		for _, rank := range c.For {
			w.Collective.Miss(rank)
		}
		w.Collective.Missing = missing
		r.SetWaiting(c.Rank, w)
	}
	r.Answer(c.Rank, c.Answer)
	r.head.report.CompareAndSwap(0, 1)
	r.SetPolls(c.Rank, 1, c.Polls)
	b.underWay.Store(c.Far.UnderWay)
	r.SetSilent(c.Rank, c.Far.Silent, c.Far.Device)
	for slot := range min(len(c.Counters), len(b.counters)) {
		b.counters[slot].Store(c.Counters[slot])
	}
	for slot := range min(len(c.Calls), len(b.calls)) {
		b.calls[slot].Store(c.Calls[slot])
	}
	for device, use := range c.Devices {
		r.PublishDevice(c.Rank, device, use)
	}
}
