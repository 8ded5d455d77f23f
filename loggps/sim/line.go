package sim

// A line is something that serves one event at a time: a CPU, or one side of a NIC.
// Events that find it busy wait in it.
//
// The rule is that of LogGOPSim: an event that finds the line busy at its time tries again
// when the line is free, with its old number, so of those that wait the smallest number is
// served first. To try them all each time would take quadratic time. Here only some of
// them stand among the events to come, the others wait aside.
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
	ev.t = t
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

// A pool is CPUs that several ranks share: whoever is ready takes one that is free, in the
// order of numbers. As a line it is free when its first CPU is.
type pool struct {
	line
	cpus []sharedCPU
}

type sharedCPU struct {
	free float64
	rank int // that it served last, or -1
}

// take occupies a CPU that is free at time t, that of last time if it can be, and returns
// when the work begins. Another rank than last time costs a switch.
func (p *pool) take(rank int, t, work, change float64) (from float64) {
	best := -1
	for i, c := range p.cpus {
		if c.free <= t && (best < 0 || c.rank == rank) {
			best = i
		}
	}
	c := &p.cpus[best]
	if c.rank >= 0 && c.rank != rank {
		t += change
	}
	c.free, c.rank = t+work, rank
	p.free = p.cpus[0].free
	for _, c := range p.cpus {
		p.free = min(p.free, c.free)
	}
	return t
}
