package pml

import (
	"slices"
	"sync/atomic"
)

// The pool of operations. An operation has a place in the table, by which handles of requests find it (owner.go).
// It stays in the pool when it is over, to be used again. The pool of a program that once had many operations
// at a time shrinks where it is looked through anyhow, in Idle. So an operation that was not in use between some looks
// is taken out, and a look costs as much as the program has needed lately.
//
// All but the table is guarded by the lock. Who reads the table has none: see owner.go. A place of the table is
// written under the lock, and a longer table replaces the old one, which keeps what it has. What it has is
// all that had a handle when the table was read, so nobody needs the places that are filled later. An operation
// that was taken out has handle 0 for ever. The next one at its place goes on with its generation, so
// that no two requests have the same place and generation.

// places are operations by their places.
type places []atomic.Pointer[operation]

// vacant is at the places that have no operation: no handle finds it. Nobody writes to it.
var vacant = &operation{}

// vacancy is a place whose operation was taken out, and the generation that the next one begins with.
type vacancy struct{ place, generation uint32 }

const (
	leastTable = 64
	leastPurge = 64 // operations that are not worth to be taken out
	mostRests  = 8  // looks at a free operation that was not in use since the last one, before it is taken out
)

// grow makes an operation.
func (e *Engine) grow() *operation {
	op := &operation{engine: e, place: uint32(len(e.existing))}
	op.node.of = op
	if last := len(e.vacancies) - 1; last >= 0 {
		op.place, op.generation = e.vacancies[last].place, e.vacancies[last].generation
		e.vacancies = e.vacancies[:last]
	}
	all := *e.operations.Load()
	if int(op.place) == len(all) {
		longer := make(places, max(2*len(all), leastTable))
		for i := range longer {
			longer[i].Store(vacant)
		}
		for i := range all {
			longer[i].Store(all[i].Load())
		}
		all = longer
		e.operations.Store(&all)
	}
	all[op.place].Store(op)
	e.existing = append(e.existing, op)
	return op
}

// rest counts the looks at a free operation since it was in use, and tells whether they are enough.
func (op *operation) rest() bool {
	if op.generation != op.rested {
		op.rested, op.rests = op.generation, 0
	}
	op.rests = min(op.rests+1, mostRests)
	return op.rests == mostRests
}

// purge takes out the free operations that have rested. The others keep their order: that which was used last
// is used next.
func (e *Engine) purge() {
	rested := func(op *operation) bool { return op.state == free && op.rests == mostRests }
	all := *e.operations.Load()
	end := &e.unused
	for n := e.unused; n != nil; n = n.next {
		if op := n.of; rested(op) {
			all[op.place].Store(vacant)
			e.vacancies = append(e.vacancies, vacancy{op.place, op.generation})
			continue
		}
		*end, end = n, &n.next
	}
	*end = nil
	e.existing = slices.Clone(slices.DeleteFunc(e.existing, rested))
}
