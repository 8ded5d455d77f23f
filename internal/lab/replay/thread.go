package replay

import (
	"cmp"
	"slices"

	"github.com/gopvas/gopvas/trace"
)

// Threads. Each thread, or goroutine, of a rank makes one call after another, and computes between them, from the
// beginning of the rank on. Who starts another one, or waits for it without a call, is not recorded: a gap between
// calls in which a thread waits so counts as computation, as long as the process had the CPU time for it.
//
// Calls of one number that overlap are those of several threads that could not be told apart (trace.Threads). They
// are put into rows in which none overlaps, as if each row was a thread.
//
// The messages that a collective call is made of may be moved on by any thread. They belong to the thread that is in
// a call of that context.

// part is an item of a thread.
type part struct {
	item
	row int
}

// partsOf are the items of a rank in the order in which they began, and how many threads they belong to. several tells
// that some threads could not be told apart.
func partsOf(events []trace.Event) (all []part, threads int, several bool) {
	rows := rowsOf(events)
	for row := range rows.count {
		items := tree(events, func(i int) bool { return rows.of == nil || int(rows.of[i]) == row })
		all = slices.Grow(all, len(items))
		for _, it := range items {
			all = append(all, part{it, row})
		}
	}
	if rows.count > 1 {
		slices.SortStableFunc(all, func(a, b part) int { return cmp.Compare(a.Start, b.Start) })
	}
	return all, rows.count, rows.several
}

// threads makes the operations of all threads of a rank.
func (c *caller) threads(events []trace.Event) {
	all, n, several := partsOf(events)
	if several {
		c.overlapping = append(c.overlapping, c.me)
	}
	c.thread = &thread{Calls: c.builder.Calls(c.me)}
	begin := int64(0)
	if len(all) > 0 {
		c.at, begin = all[0].Start, all[0].Start
		if all[0].Kind == trace.Init {
			begin = all[0].End
		}
	}
	threads := []*thread{c.thread}
	for cpu := 1; cpu < n; cpu++ {
		threads = append(threads, &thread{Calls: c.Beside(uint8(cpu)), at: begin})
	}
	for i := range all {
		c.thread = threads[all[i].row]
		c.item(&all[i].item)
	}
	c.thread = threads[0]
}

// rows are threads of a rank, as far as they are known.
type rows struct {
	of      []uint8 // by event; nil: there is one
	count   int
	several bool // some thread has more than one

	until   []int64                // by row: when its last call ends
	threads [trace.Threads][]uint8 // by thread: its rows
}

// mostRows bounds the rows of a rank. Calls beyond follow one another in the last one.
const mostRows = 200

func rowsOf(events []trace.Event) *rows {
	r := &rows{of: make([]uint8, len(events))}
	var tops [trace.Threads][]int // calls of each thread that are no parts of others
	within := map[int][]int{}     // those that are, by the call that they are parts of
	for i := range events {
		e := &events[i]
		if !e.Kind.Call() {
			continue
		}
		list := &tops[e.Flags.Thread()]
		for n := len(*list); e.Kind.Compound() && n > 0 && events[(*list)[n-1]].Start > e.Start; n-- {
			within[i] = append(within[i], (*list)[n-1])
			*list = (*list)[:n-1]
		}
		*list = append(*list, i)
	}
	for thread, list := range tops {
		slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(events[a].Start, events[b].Start) })
		for _, i := range list {
			r.put(thread, i, &events[i])
		}
	}
	if r.count <= 1 {
		return &rows{count: 1}
	}
	r.several = slices.ContainsFunc(r.threads[:], func(of []uint8) bool { return len(of) > 1 })
	for i := len(events) - 1; i >= 0; i-- { // a call stands behind its parts
		for _, part := range within[i] {
			r.of[part] = r.of[i]
		}
	}
	r.points(events)
	return r
}

// put finds a row of a thread for a call: one whose calls have ended.
func (r *rows) put(thread, call int, e *trace.Event) {
	mine := r.threads[thread]
	i := slices.IndexFunc(mine, func(row uint8) bool { return r.until[row] <= e.Start })
	switch {
	case i >= 0:
	case r.count == mostRows:
		mine, i = []uint8{mostRows - 1}, 0
	default:
		i, mine = len(mine), append(mine, uint8(r.count))
		r.threads[thread] = mine
		r.until = append(r.until, 0)
		r.count++
	}
	r.of[call] = mine[i]
	r.until[mine[i]] = max(r.until[mine[i]], e.OverlapEnd())
}

// points puts what is no call into the row of the call that it belongs to, which stands behind it: what is taken into
// that which takes, a message of a collective call into that.
func (r *rows) points(events []trace.Event) {
	var next [trace.Threads]uint8 // the row of the call that comes next
	for thread, mine := range r.threads {
		if len(mine) > 0 {
			next[thread] = mine[0]
		}
	}
	collective := map[uint32]int{} // by context: the call that comes next
	for i := len(events) - 1; i >= 0; i-- {
		e := &events[i]
		thread := e.Flags.Thread()
		switch {
		case e.Kind.Collective():
			collective[e.Context] = i
			next[thread] = r.of[i]
		case e.Kind.Call():
			next[thread] = r.of[i]
		default:
			r.of[i] = next[thread]
			if call, ok := collective[e.Context]; ok && e.Flags&trace.Inside != 0 && events[call].Start <= e.Start {
				r.of[i] = r.of[call]
			}
		}
	}
}
