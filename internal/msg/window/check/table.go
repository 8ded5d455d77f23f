package check

import (
	"errors"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/msg/window/epoch"
)

// ErrConflict is the cause of an operation that conflicts with another one.
var ErrConflict = errors.New("accesses conflict")

// table is the operations on a target that others may conflict with. All ranks write it, under the lock of a stripe.
//
// Two operations conflict if they are on the same bytes, one of them writes, and nothing orders them. Accumulates are
// atomic to one another, so two of them do not conflict. An operation stays in the table as long as others can meet it:
//
//   - in an epoch of Fence until the next one, which has another number,
//   - in one of Start until the target ends its own epoch by Wait,
//   - under a lock until its rank calls Flush or Unlock: before that no other rank can know that it is done.
//
// If there is no room the oldest goes, so a conflict may be missed. Loads and stores are not seen, nor are operations
// from one node to another.
type table struct {
	next uint32 // place of the next one
	list [mostAccesses]accessed
	_    [24]byte // to a whole cache line
}

// accessed is an operation; the zero one is none.
type accessed struct {
	lo, hi uint64 // bytes of the target, or addresses
	origin uint32
	by     uint16 // its place in epoch.Operations
	access uint16 // the access epoch
	fences uint32 // the number of the epoch of Fence
	writes bool
	_      [3]byte
}

const mostAccesses = 1023

// add adds an operation on some pieces of memory, or returns an error that names one that it conflicts with.
func (t *table) add(one accessed, pieces []datatype.Segment) error {
	for _, s := range pieces {
		one.lo, one.hi = uint64(s.Addr), uint64(s.Addr)+s.Len
		for i := range t.list {
			if other := &t.list[i]; one.meets(other) {
				return one.conflictWith(other)
			}
		}
	}
	for _, s := range pieces {
		one.lo, one.hi = uint64(s.Addr), uint64(s.Addr)+s.Len
		t.list[t.next%mostAccesses] = one
		t.next++
	}
	return nil
}

// forget removes operations that are not of an epoch of Fence.
func (t *table) forget(which func(*accessed) bool) {
	for i := range t.list {
		if o := &t.list[i]; o.hi > 0 && epoch.Access(o.access) != epoch.Active && which(o) {
			*o = accessed{}
		}
	}
}

// meets tells whether two operations conflict.
func (a *accessed) meets(o *accessed) bool {
	if o.hi <= a.lo || a.hi <= o.lo {
		return false
	}
	if epoch.Access(o.access) == epoch.Active && (epoch.Access(a.access) != epoch.Active || o.fences != a.fences) {
		return false
	}
	return (a.writes || o.writes) && (a.by < Accumulate || o.by < Accumulate)
}

func (a *accessed) conflictWith(o *accessed) error {
	text := "rank %d has accessed bytes %d to %d by %s in an epoch of %s "
	args := []any{o.origin, max(a.lo, o.lo), min(a.hi, o.hi) - 1, epoch.Operations[o.by], epoch.Begins[o.access]}
	switch epoch.Access(o.access) {
	case epoch.Active:
		text += "that is this one, number %d"
		args = append(args, o.fences)
	case epoch.Started:
		text += "that the target has not ended"
	default:
		text += "without %s since then"
		args = append(args, epoch.Call("Flush"))
	}
	return &epoch.CallError{Is: ErrConflict, Format: text + ": only accumulates may meet", Args: args}
}
