package coll

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/gopvas/gopvas/internal/msg/coll/board"
	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/internal/msg/coll/order"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/mpi/fault"
)

// Short nonblocking calls that need all members, of a few members that share memory. They work as flat does, by the
// ring of the board: each member gives a block, and takes its result when all have done so, in its own calls. A graph
// of messages takes several times as long. There is no ring before the first blocking call at the board, which all
// members make in the same place among the others.

// Short is a call, as Begin begins it. It is used again when it is over.
type Short struct {
	team    *Team
	args    Args
	call    uint64 // signature
	slot    int
	size    int // Args.size
	failure cad.Failure
	order   order.Evaluator
	from    [][]byte

	ring    *board.Ring
	channel *cad.Channel
	number  uint32 // of the call on the channel
	place   uint64 // in the ring
	given   bool
	gone    int // ranks that had gone when that was last looked at
}

// shortCalls are what a team keeps for short calls.
type shortCalls struct {
	mu   sync.Mutex // taken under the lock of the engine for messages
	idle []*Short
}

// shorts are the algorithms of short calls by the kind, nil where there is none.
var shorts [kinds]*algorithm

// Short returns a call to begin, or nil if it is not one for the ring: then GraphOnce has
// a graph for it, or says what is wrong. All members get the same answer.
func (t *Team) Short(a *Args) *Short {
	l := shorts[a.Kind]
	if l == nil || a.Irregular || a.Wrong != nil {
		return nil
	}
	if want := t.Choice.Graphs[a.Kind]; want != "" && want != l.name || !t.ringed() {
		return nil
	}
	x := t.shorts.take(t)
	x.args = *a
	if t.prepare(&x.args) != nil || x.args.empty(t.Size, x.args.agreed()) ||
		x.args.contribution(t.Size, x.args.size()) > board.RingData {
		x.Release()
		return nil
	}
	x.call, x.size, x.slot = x.args.signature(x.args.agreed()), x.args.size(), l.graphSlot
	if b := &x.args; b.typed() { // on this member
		pack, unpack := b.stage(true)
		b.Before, b.After = then(b.Before, pack), then(unpack, b.After)
	}
	return x
}

// ringed tells whether the members have a ring. If calls are checked or recorded, they are
// graphs: for these all members compare their calls first, and there are messages to record.
func (t *Team) ringed() bool {
	return t.Size > 1 && !t.Check && !t.Engine.Calls().Recorded() && t.board != nil && t.board.Ring() != nil
}

// ErrHeld means that a call that blocks has the ring.
var ErrHeld = errors.New("a call that blocks is underway")

// Begin begins a call, as shared.Engine.Issue begins a graph. A call that blocks has set held before it looks whether
// the ring is idle. nil: there is none. The error is ErrHeld if there is one, and then nothing has begun.
func (x *Short) Begin(c *cad.Channel, held *atomic.Uint32) (pml.Request, error) {
	ring := x.team.board.Ring()
	ring.Reserve()
	if held != nil && held.Load() != 0 {
		x.giveUp(ring)
		return pml.Request{}, ErrHeld
	}
	if t := x.team; !cad.IsRefused(x.call) { // else it is counted
		t.issued++
		t.remember(nonblocking, t.issued, x.call, x.args.agreed(), &x.args)
	}
	r, err := x.team.Engine.BeginBy(c.Context, func() pml.Task {
		x.ring, x.channel, x.number = ring, c, c.Next()
		x.place = ring.Begin()
		x.team.Job.CountCall(x.team.world(x.team.Rank), x.slot)
		return x
	})
	if err != nil {
		x.giveUp(ring)
	}
	return r, err
}

// giveUp ends a call that has reserved the ring and has not begun. A call that blocks may wait for an idle ring by now.
func (x *Short) giveUp(ring *board.Ring) {
	ring.End()
	x.team.Job.Inbox(x.team.world(x.team.Rank)).Notify()
	x.Release()
}

// Start implements pml.Task. The task is begun when it is made.
func (x *Short) Start() error { return nil }

// Progress implements pml.Task.
func (x *Short) Progress() (done bool, err error) {
	if !x.given && x.ring.MayGive(x.place) {
		x.args.before()
		if x.args.Kind != Barrier {
			copy(x.ring.Own(x.place), x.args.given(x.team.Rank, x.team.Size, x.size))
		}
		x.given = true
		x.ring.Give(x.place, x.call)
	}
	if x.given && x.ring.Ready(x.place) {
		f := x.take()
		x.ring.End()
		return true, x.err(f)
	}
	if x.channel.Revoked.Heard() {
		x.ring.End()
		return true, fault.ErrRevoked
	}
	if n := x.team.Engine.Events(); n != x.gone {
		x.gone = n
		if f := x.ring.Absent(x.place); f.Fault != 0 {
			x.ring.End()
			return true, x.err(f)
		}
	}
	return false, nil
}

// take takes the result.
func (x *Short) take() cad.Failure {
	if !x.ring.Take(x.place, x.call) {
		return x.ring.Differ(x.place)
	}
	x.from = x.ring.Blocks(x.place, x.from)
	x.args.take(x, x.team.Rank, x.size, x.from)
	if x.failure.Fault == 0 {
		x.args.after()
	}
	return x.failure
}

func (x *Short) err(f cad.Failure) error {
	return cad.Reporter{Member: x.team.member, Describe: x.team.describe}.Err(f, x.call)
}

// Describe implements pml.Task.
func (x *Short) Describe(w *job.Waiting) {
	x.channel.Describe(w, &cad.Graph{Name: graphName(x.args.Kind)}, x.number, x.call)
	w.Collective.Need = job.NeedAllIssue
	for member := range x.team.Size {
		if !x.ring.Has(member, x.place) {
			w.Collective.Miss(x.team.world(member))
		}
	}
}

// Release implements pml.Task. The call is over for this rank, or was not begun.
func (x *Short) Release() {
	*x = Short{team: x.team, order: x.order, from: x.from}
	k := &x.team.shorts
	k.mu.Lock()
	k.idle = append(k.idle, x)
	k.mu.Unlock()
}

// take returns a call that nobody uses.
func (k *shortCalls) take(t *Team) *Short {
	k.mu.Lock()
	defer k.mu.Unlock()
	last := len(k.idle) - 1
	if last < 0 {
		return &Short{team: t}
	}
	x := k.idle[last]
	k.idle = k.idle[:last]
	return x
}

// reduce combines vectors of the call in the one order.
func (x *Short) reduce(sum []byte, from [][]byte) {
	defer x.team.noteOperator(&x.failure)
	x.order.Reduce(x.args.Op, sum, from)
}
