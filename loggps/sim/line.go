package sim

import "math"

// A line is something that serves one event at a time: a CPU, or one side of a NIC.
// Events that find it busy wait in it.
//
// The rule is that of LogGOPSim: an event that finds the line busy at its time tries again
// when the line is free, with its old number, so of those that wait the smallest number is
// served first. But an event whose rank gives up a shared CPU gets a new number (enter). To try them all each time
// would take quadratic time. Here only some of them stand among the events to come, the others wait aside.
//
// Invariant: every number aside is larger than every number that stands, and while any is
// aside, one stands. So none of those aside could be served before one that stands has
// been tried. An additional try does no harm: it changes nothing.
type line struct {
	free     float64 // when the last service ends
	highest  uint32  // no number that stands is larger
	standing uint32  // waiting events that stand among the events to come
	last     ref     // what made free, if that is recorded
	aside    *aside
}

// aside is a heap of those that wait aside, the smallest number on top.
type aside []waiter

// waiter is the order of an event, its number in the highest bits.
type waiter uint64

// wait lets an event wait for the line.
func (l *line) wait(events *agenda, ev event, mark uint64) {
	ev = ev.marked(mark)
	if l.standing > 0 && ev.number() > l.highest {
		if l.aside == nil {
			l.aside = new(aside)
		}
		l.aside.put(waiter(ev.order))
		return
	}
	l.stand(events, ev, l.free)
}

func (l *line) stand(events *agenda, ev event, t float64) {
	if ev.t = t; ev.mark() == markShared {
		ev.t = math.Nextafter(t, math.Inf(1))
	}
	if l.standing == 0 || ev.number() > l.highest {
		l.highest = ev.number()
	}
	l.standing++
	events.addAgain(ev)
}

// promote lets the first of those aside stand if no other does.
func (l *line) promote(events *agenda, now float64) {
	if l.standing == 0 && l.aside != nil && len(*l.aside) > 0 {
		w := l.aside.take()
		l.stand(events, event{order: uint64(w)}, max(l.free, now))
	}
}

func (a *aside) put(w waiter) {
	s := append(*a, w)
	i := len(s) - 1
	for i > 0 && w < s[(i-1)/2] {
		s[i] = s[(i-1)/2]
		i = (i - 1) / 2
	}
	s[i] = w
	*a = s
}

func (a *aside) take() waiter {
	s := *a
	top, w := s[0], s[len(s)-1]
	s = s[:len(s)-1]
	*a = s
	if len(s) == 0 {
		return top
	}
	i := 0
	for {
		child := 2*i + 1
		if child >= len(s) {
			break
		}
		if child+1 < len(s) && s[child+1] < s[child] {
			child++
		}
		if w < s[child] {
			break
		}
		s[i] = s[child]
		i = child
	}
	s[i] = w
	return top
}

// A sharedCPU is a CPU of several ranks. The rank that has it keeps it while it has work, until its turn is over.
// So at the time when the CPU is free, events of that rank must come before events of those that wait, whatever their
// numbers. Those that wait therefore stand at the next larger float64, and Run sets their time back (tried).
type sharedCPU struct {
	line
	rank  int32   // that had it last, or -1
	since float64 // when the turn of that rank began
}

// turnEnds tells whether a rank would go on now although its slice is used up and others wait.
func (c *sharedCPU) turnEnds(rank int32, now, turn float64) bool {
	return c.standing > 0 && turn > 0 && c.rank == rank && c.free == now && now-c.since >= turn
}

// take occupies the CPU, which is free at time t, and returns when the work begins. Another rank than last time
// costs a switch.
func (c *sharedCPU) take(rank int32, t, work, change float64) (from float64) {
	if c.rank != rank || c.free != t {
		c.since = t
	}
	if c.rank >= 0 && c.rank != rank {
		t += change
	}
	c.free, c.rank = t+work, rank
	return t
}

// tried returns the time of an event that comes from the line of a shared CPU.
func tried(t float64) float64 { return math.Nextafter(t, math.Inf(-1)) }
