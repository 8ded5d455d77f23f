package check

import (
	"cmp"
	"fmt"
	"os"
	"sync"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/msg/window/epoch"
	"github.com/gopvas/gopvas/internal/msg/window/lock"
	"github.com/gopvas/gopvas/trace"
)

// Watch is what watches the calls of a rank on a window.
type Watch struct {
	own    *comm.Comm
	words  *lock.Words
	epochs *epoch.State
	checks bool
	tables []table // by target, if calls are checked; shared

	mu      sync.Mutex
	fences  uint32           // calls of Fence so far: the same on all ranks
	touched map[int]struct{} // targets with records of this rank, but for those of Fence
	mixed   bool             // a lock was taken since the last Fence, which may have begun an epoch
	warned  bool             // of that; many programs do so, and no library minds
}

// The calls that access a target, by their places in epoch.Operations.
const (
	Put = iota
	Get
	Accumulate
	GetAccumulate
	FetchAndOp
	CompareAndSwap
)

// kinds are what traces know them by; all from Accumulate on are one.
var kinds = [...]trace.Kind{trace.WinPut, trace.WinGet, trace.WinAccumulate}

// New is nil if the calls on the windows of a communicator are not watched. It is the same on all ranks.
func New(own *comm.Comm, words *lock.Words, epochs *epoch.State) *Watch {
	if checks := comm.Checked(own); checks || comm.Tallied(own) {
		return &Watch{own: own, words: words, epochs: epochs, checks: checks, touched: map[int]struct{}{}}
	}
	return nil
}

// Size is how much memory of all ranks the watch wants. It begins as zeros.
func (v *Watch) Size() int {
	if v == nil || !v.checks {
		return 0
	}
	return v.own.Size() * tableSize
}

// Lay gives the watch that memory.
func (v *Watch) Lay(memory []byte) {
	if v.Size() > 0 {
		v.tables = tablesIn(memory, v.own.Size())
	}
}

// Checks tells whether calls are checked.
func (v *Watch) Checks() bool { return v.checks }

// Operation does an operation on a target, of so many bytes. writes tells whether it may change memory there, and where
// which, from the beginning of the target's memory on: nil if it is not looked at.
func (v *Watch) Operation(by uint16, writes bool, target, bytes int, where func() []datatype.Segment,
	do func() error) error {
	t := v.own.BeginTally(kinds[min(by, Accumulate)])
	var err error
	if v.checks {
		err = v.conflict(accessed{by: by, writes: writes}, target, where())
	}
	if err == nil {
		err = do()
	}
	t.End(bytes, v.peer(target), err)
	return err
}

// peer is a rank of the window as traces know it.
func (v *Watch) peer(rank int) int {
	if uint(rank) >= uint(v.own.Size()) {
		return -1
	}
	return comm.JobRank(v.own, rank)
}

// conflict returns an error if an operation conflicts with another one, and else has others find it.
func (v *Watch) conflict(one accessed, target int, pieces []datatype.Segment) error {
	if len(pieces) == 0 {
		return nil
	}
	v.mu.Lock()
	one.origin, one.access, one.fences = uint32(v.own.Rank()), uint16(v.epochs.Access()), v.fences
	if epoch.Access(one.access) != epoch.Active {
		v.touched[target] = struct{}{}
	}
	v.mu.Unlock()
	stripe, err := v.words.Enter(tableLock(target), false)
	if err != nil {
		return err
	}
	defer v.words.Leave(stripe)
	return v.tables[target].add(one, pieces)
}

// tableLock is a place whose stripe guards the table of a target.
func tableLock(target int) uintptr { return ^uintptr(target) * lock.StripeBytes }

// Call does a call on epochs, about a rank; -1: about none or all.
func (v *Watch) Call(k trace.Kind, rank int, do func() error) error {
	t := v.own.BeginTally(k)
	if v.checks && (k == trace.WinUnlock || k == trace.WinFlush) {
		v.retire(rank)
	}
	mixes := v.checks && k == trace.WinLock && v.epochs.Access() == epoch.Fenced
	err := do()
	if mixes && err == nil {
		v.mu.Lock()
		v.mixed = true
		v.mu.Unlock()
	}
	if k == trace.WinWait && err == nil {
		v.Waited()
	}
	t.End(0, v.peer(rank), err)
	return err
}

// Fence is Call of Fence, on a window with a name. What is wrong with the epoch that it ends is an error after the
// call: other ranks are in it.
func (v *Watch) Fence(a epoch.Assert, name string, do func() error) error {
	wrong := v.endsWrongly(a, name)
	err := v.Call(trace.WinFence, -1, do)
	return cmp.Or(err, wrong)
}

// endsWrongly tells what is wrong with an epoch that Fence ends, and counts that.
func (v *Watch) endsWrongly(a epoch.Assert, name string) (wrong error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch access := v.epochs.Access(); {
	case !v.checks:
	case a&epoch.NoPrecede != 0 && access == epoch.Active:
		wrong = epoch.Error("%s with MPI_MODE_NOPRECEDE ends an epoch that has operations", "Fence")
	case a&epoch.NoPrecede == 0 && v.mixed && !v.warned:
		v.warned = true
		window := "a window without a name"
		if name != "" {
			window = fmt.Sprintf("window %q", name)
		}
		fmt.Fprintf(os.Stderr, "%s: warning: %s: a lock was taken between two fences, which begin and end an "+
			"epoch: pass MPI_MODE_NOSUCCEED to the first\n", comm.Who(), window)
	}
	v.fences++
	v.mixed = false
	return wrong
}

// Completed notes that an operation on a rank is over by a request: the program may order others behind it.
func (v *Watch) Completed(rank int) {
	if rank >= 0 && v.checks {
		v.retire(rank)
	}
}

// retire takes the operations of this rank on a target from the table: they are done. -1: those on all targets.
func (v *Watch) retire(rank int) {
	v.mu.Lock()
	var ranks []int
	for target := range v.touched {
		if rank < 0 || rank == target {
			ranks = append(ranks, target)
			delete(v.touched, target)
		}
	}
	v.mu.Unlock()
	me := uint32(v.own.Rank())
	for _, target := range ranks {
		v.forget(target, func(o *accessed) bool {
			return o.origin == me && epoch.Access(o.access) != epoch.Started
		})
	}
}

// Waited is for the end of an epoch of Post.
func (v *Watch) Waited() {
	if v.checks {
		v.forget(v.own.Rank(), func(o *accessed) bool { return epoch.Access(o.access) == epoch.Started })
	}
}

// forget removes operations from the table of a target.
func (v *Watch) forget(target int, which func(*accessed) bool) {
	stripe, err := v.words.Enter(tableLock(target), false)
	if err != nil {
		return // a rank has gone, which others say
	}
	defer v.words.Leave(stripe)
	v.tables[target].forget(which)
}
