package coll

import "github.com/gopvas/gopvas/job"

// Calls says how often an operation was done by an algorithm.
type Calls struct {
	Kind      Kind
	Algorithm string
	Calls     uint64
}

// CallsOf returns what the ranks of a job have called so far, added up, in the order of
// the table of algorithms. It is for whoever watches the job, and must have been built
// with the same table. Exchanges among neighbours are not counted.
func CallsOf(root *job.Root) (list []Calls) {
	var sum [job.CallSlots]uint64
	for rank := range root.Ranks() {
		for slot, n := range root.Calls(rank) {
			sum[slot] += n
		}
	}
	for slot, n := range sum[:len(algorithms)] {
		if n > 0 {
			list = append(list, Calls{algorithms[slot].kind, algorithms[slot].name, n})
		}
	}
	return list
}
