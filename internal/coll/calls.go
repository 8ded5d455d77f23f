package coll

import "github.com/gopvas/gopvas/internal/job"

// Calls says how often an operation was done by an algorithm.
type Calls struct {
	Operation string // as a Choice names it, or "graph": one that the program has built
	Algorithm string // empty for those
	Calls     uint64 // a persistent operation counts with each start
}

// CallsOf returns what the ranks of a job have called so far, added up, in the order of
// the tables of algorithms. It is for whoever watches the job, and must have been built
// with the same tables. Exchanges among neighbours are not counted.
func CallsOf(root *job.Root) (list []Calls) {
	var sum [job.CallSlots]uint64
	for rank := range root.Ranks() {
		for slot, n := range root.Calls(rank) {
			sum[slot] += n
		}
	}
	add := func(operation, algorithm string, slot int) {
		if n := sum[slot]; n > 0 {
			list = append(list, Calls{operation, algorithm, n})
		}
	}
	for _, l := range algorithms {
		add(l.kind.String(), l.name, l.slot)
	}
	for _, l := range algorithms {
		if l.nonblocking() {
			add(graphName(l.kind), l.name, l.graphSlot)
		}
	}
	add("graph", "", programSlot)
	return list
}
