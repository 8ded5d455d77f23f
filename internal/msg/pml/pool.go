package pml

import (
	"slices"
	"sync/atomic"
)

// An operation has a place in the table, by which handles of requests find it (owner.go).
// It stays in the pool when it is over, to be used again. Idle looks at all operations, so its cost must follow what
// the program has needed lately, and not the most that it ever had. So Idle takes out an operation that was free
// at mostRests looks and was not used between them.
//
// All but the table is guarded by the lock. Readers of the table do not hold the lock (owner.go):
//
//   - A reader finds each operation that had a handle before it read the table. Places are written under the lock. A
//     longer table replaces the old one, which keeps its operations. A reader of the old one needs no later ones.
//   - A reader finds no operation that was taken out: its handle is 0 for ever.
//   - No two requests have the same place and generation. The next operation at a place goes on with the
//     generation of the one that was taken out.

// pool has the operations of an engine.
type pool struct {
	engine    *Engine
	unused    []*operation           // a stack: the operation used last is used next, since it is in the cache
	all       []*operation           // those that there are, in no order
	table     atomic.Pointer[places] // the same by their places
	vacancies []vacancy              // places that have none
}

// places are operations by their places.
type places []atomic.Pointer[operation]

// vacant is at the places that have no operation: no handle finds it. Nobody writes to it.
var vacant = &operation{}

// vacancy is a place whose operation was taken out, and the generation that the next one begins with.
type vacancy struct{ place, generation uint32 }

const (
	leastTable = 64
	leastPurge = 64 // fewer free operations are left in the pool
	mostRests  = 8  // looks that find an operation free and unused before it is taken out
)

func (p *pool) init(e *Engine) {
	p.engine = e
	p.table.Store(new(places))
}

// take returns an operation that is free.
func (p *pool) take() *operation {
	if last := len(p.unused) - 1; last >= 0 {
		op := p.unused[last]
		p.unused = p.unused[:last]
		return op
	}
	return p.grow()
}

// put takes a free operation back.
func (p *pool) put(op *operation) { p.unused = append(p.unused, op) }

// grow makes an operation.
func (p *pool) grow() *operation {
	op := &operation{engine: p.engine, place: uint32(len(p.all))}
	op.tie()
	if last := len(p.vacancies) - 1; last >= 0 {
		op.place, op.generation = p.vacancies[last].place, p.vacancies[last].generation
		p.vacancies = p.vacancies[:last]
	}
	all := *p.table.Load()
	if int(op.place) == len(all) {
		longer := make(places, max(2*len(all), leastTable))
		for i := range longer {
			longer[i].Store(vacant)
		}
		for i := range all {
			longer[i].Store(all[i].Load())
		}
		all = longer
		p.table.Store(&all)
	}
	all[op.place].Store(op)
	p.all = append(p.all, op)
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
func (p *pool) purge() {
	rested := func(op *operation) bool { return op.state == free && op.rests == mostRests }
	all := *p.table.Load()
	p.unused = slices.DeleteFunc(p.unused, func(op *operation) bool {
		if rested(op) {
			all[op.place].Store(vacant)
			p.vacancies = append(p.vacancies, vacancy{op.place, op.generation})
		}
		return rested(op)
	})
	p.all = slices.Clone(slices.DeleteFunc(p.all, rested))
}

// idle tells whether no operation of some contexts is in use, and takes out those that have rested.
func (p *pool) idle(contexts []uint32) bool {
	idle, rested := true, 0
	for _, op := range p.all {
		switch {
		case op.state != free:
			idle = idle && !slices.Contains(contexts, op.context)
		case op.rest():
			rested++
		}
	}
	if rested >= leastPurge {
		p.purge()
	}
	return idle
}
