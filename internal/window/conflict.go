package window

import (
	"slices"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/comm"
	"github.com/gopvas/gopvas/trace"
)

// accesses are the operations on a target that others may conflict with. All ranks write them, under the lock of a
// stripe. They exist only if the calls of the window are checked.
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
type accesses struct {
	next uint32 // place of the next one
	list [mostAccesses]accessed
	_    [24]byte // to a whole cache line
}

// accessed is an operation; the zero one is none.
type accessed struct {
	lo, hi uint64 // bytes of the target, or addresses
	origin uint32
	by     uint16 // its place in operations
	epoch  uint16 // active, started, locked or lockedAll
	fences uint32 // the number of the epoch of Fence
	writes bool
	_      [3]byte
}

const (
	mostAccesses = 1023
	mostPieces   = 64 // of one operation; what has more is not looked at
)

// The calls that access a target.
const (
	put = iota
	get
	accumulate
	getAccumulate
	fetchAndOp
	compareAndSwap
)

var operations = [...]call{"Put", "Get", "Accumulate", "GetAccumulate", "FetchAndOp", "CompareAndSwap"}

// kinds are what traces know them by; all from accumulate on are one.
var kinds = [...]trace.Kind{trace.WinPut, trace.WinGet, trace.WinAccumulate}

// conflict returns an error if an operation conflicts with another one, and else has others find it.
func (w *Window) conflict(by uint16, writes bool, p *Place) error {
	v := w.watch
	if !v.checks || p.Rank == comm.ProcNull {
		return nil
	}
	a, err := w.find(p)
	if err != nil || p.Bytes == 0 || a.pid == elsewhere {
		return nil // the operation finds the error, too
	}
	v.mu.Lock()
	one := accessed{origin: uint32(w.me), by: by, writes: writes, epoch: uint16(w.access.Load()), fences: v.fences}
	if int32(one.epoch) != active {
		v.touched[p.Rank] = struct{}{}
	}
	v.mu.Unlock()
	lock, err := w.enter(w.tableLock(p.Rank), false)
	if err != nil {
		return err
	}
	defer w.leave(lock)
	t := &w.accessed[p.Rank]
	pieces := a.pieces(p)
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

// tableLock is a place whose stripe guards the table of a target.
func (w *Window) tableLock(rank int) uintptr { return ^uintptr(rank) << stripeShift }

// pieces are the bytes of a place, from the beginning of the target's memory on.
func (a *access) pieces(p *Place) []datatype.Segment {
	start := a.addr - a.base.Load()
	if p.Layout == nil {
		return []datatype.Segment{{Addr: start, Len: uint64(p.Bytes)}}
	}
	var list [mostPieces]datatype.Segment
	n, bytes := datatype.Segments(list[:], p.Layout, start, 0)
	if bytes < int64(p.Bytes) {
		return nil
	}
	return slices.Clone(list[:n])
}

// meets tells whether two operations conflict.
func (a *accessed) meets(o *accessed) bool {
	if o.hi <= a.lo || a.hi <= o.lo || int32(o.epoch) == active && (int32(a.epoch) != active || o.fences != a.fences) {
		return false
	}
	return (a.writes || o.writes) && (a.by < accumulate || o.by < accumulate)
}

func (a *accessed) conflictWith(o *accessed) error {
	text := "rank %d has accessed bytes %d to %d by %s in an epoch of %s "
	args := []any{o.origin, max(a.lo, o.lo), min(a.hi, o.hi) - 1, operations[o.by], begins[o.epoch]}
	switch int32(o.epoch) {
	case active:
		text += "that is this one, number %d"
		args = append(args, o.fences)
	case started:
		text += "that the target has not ended"
	default:
		text += "without %s since then"
		args = append(args, call("Flush"))
	}
	return &CallError{ErrConflict, text + ": only accumulates may meet", args}
}

// Completed notes that an operation on a rank is over by a request: the program may order others behind it.
func (w *Window) Completed(rank int) {
	if rank >= 0 && w.watch != nil && w.watch.checks {
		w.retire(rank)
	}
}

// retire takes the operations of this rank on a target from the table: they are done. -1: those on all targets.
func (w *Window) retire(rank int) {
	v := w.watch
	v.mu.Lock()
	var ranks []int
	for target := range v.touched {
		if rank < 0 || rank == target {
			ranks = append(ranks, target)
			delete(v.touched, target)
		}
	}
	v.mu.Unlock()
	for _, target := range ranks {
		w.forget(target, func(o *accessed) bool { return int(o.origin) == w.me && int32(o.epoch) != started })
	}
}

// forgetOrigins is for the end of an epoch of Post.
func (w *Window) forgetOrigins() {
	if w.watch.checks {
		w.forget(w.me, func(o *accessed) bool { return int32(o.epoch) == started })
	}
}

// forget removes operations from the table of a target.
func (w *Window) forget(target int, which func(*accessed) bool) {
	lock, err := w.enter(w.tableLock(target), false)
	if err != nil {
		return // a rank has gone, which others say
	}
	defer w.leave(lock)
	for i := range w.accessed[target].list {
		if o := &w.accessed[target].list[i]; o.hi > 0 && int32(o.epoch) != active && which(o) {
			*o = accessed{}
		}
	}
}
