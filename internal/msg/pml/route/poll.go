package route

import "github.com/gopvas/gopvas/btl"

// PollFurther hands over at most max messages of each module but First. It returns how many came, and whether one of
// the modules may have more.
func (t *Table) PollFurther(max int, do func(*btl.Frame)) (came int, more bool) {
	for i := range t.further {
		n := t.further[i].Poll(max, do)
		came += n
		more = n == max || more
	}
	return came, more
}

// Senders calls do with each rank of which a message was not handed over: it is being sent.
func (t *Table) Senders(do func(rank int)) {
	t.First.Senders(do)
	for i := range t.further {
		t.further[i].Senders(do)
	}
}

// Settled tells whether nothing is on its way to this rank, or from it to another node.
func (t *Table) Settled() bool {
	coming := false
	t.First.Senders(func(int) { coming = true })
	if coming {
		return false
	}
	for i := range t.further {
		if settled := t.further[i].settled; settled != nil && !settled() {
			return false
		}
	}
	return true
}

// Counters are those of all modules.
func (t *Table) Counters() btl.Counters {
	c := t.First.Counters()
	for i := range t.further {
		c = c.Plus(t.further[i].Counters())
	}
	return c
}
