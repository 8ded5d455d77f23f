package coll

import (
	"fmt"
	"sync"

	"github.com/gopvas/gopvas/internal/coll/cad"
)

// Short nonblocking calls that need all members, of a few members in one address
// space. They work as flat does: each member leaves what it gives (cad.Contributor),
// and takes its result when all have done so. A graph of messages takes several times as long.

// Short is a call, as cad.Engine.Contribute begins it. It is used again when it is over.
type Short struct {
	team    *Team
	args    Args
	call    uint64 // signature
	name    string
	slot    int
	size    int // Args.size
	failure cad.Failure
	scratch []byte
}

// shortCalls are what a team keeps for short calls.
type shortCalls struct {
	mu   sync.Mutex // taken under the lock of the engine for messages
	idle []*Short
}

// shorts are the algorithms of short calls by the kind, nil where there is none.
var shorts [kinds]*algorithm

// Short returns a call to begin, or nil if it is not one for contributions: then GraphOnce has
// a graph for it, or says what is wrong. All members get the same answer.
func (t *Team) Short(a *Args) *Short {
	l := shorts[a.Kind]
	if l == nil || a.Irregular || a.Wrong != nil {
		return nil
	}
	if want := t.Choice.Graphs[a.Kind]; want != "" && want != l.name || !t.contributes() {
		return nil
	}
	x := t.shorts.take(t)
	x.args = *a
	if t.prepare(&x.args) != nil || x.args.empty(t.Size, x.args.agreed()) ||
		x.args.contribution(t.Size) > cad.ContributionData {
		x.Over()
		return nil
	}
	x.call, x.size, x.slot = x.args.signature(x.args.agreed()), x.args.size(), l.graphSlot
	x.name = graphName(a.Kind)
	if b := &x.args; b.typed() { // on this member
		pack, unpack := b.stage(true)
		b.Before, b.After = then(b.Before, pack), then(unpack, b.After)
	}
	return x
}

// contributes tells whether the members can contribute. If calls are checked or recorded, they are
// graphs: for these all members compare their calls first, and there are messages to record.
func (t *Team) contributes() bool {
	return t.Size > 1 && t.Size <= maxFlat && !t.Check && !t.Engine.Traced() && t.Engine.Direct(t.World)
}

// contribution returns how many bytes a member gives.
func (a *Args) contribution(members int) int {
	if a.Kind == Alltoall {
		return a.size() * members
	}
	return a.size()
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

// Over implements cad.Contributor.
func (x *Short) Over() {
	x.args, x.failure = Args{}, cad.Failure{}
	k := &x.team.shorts
	k.mu.Lock()
	k.idle = append(k.idle, x)
	k.mu.Unlock()
}

// Call implements cad.Contributor.
func (x *Short) Call() (signature uint64, name string, slot int) { return x.call, x.name, x.slot }

// Give implements cad.Contributor.
func (x *Short) Give(page []byte) {
	x.args.before()
	if x.args.Kind != Barrier {
		copy(page, x.args.given(x.team.Rank, x.team.Size, x.size))
	}
}

// Take implements cad.Contributor.
func (x *Short) Take(from [][]byte) cad.Failure {
	x.args.take(x, x.team.Rank, x.size, from)
	if x.failure.Fault == 0 {
		x.args.after()
	}
	return x.failure
}

// apply calls the operator and takes note if it panics.
func (x *Short) apply(inout, in []byte) {
	if len(in) == 0 {
		return
	}
	defer func() {
		if v := recover(); v != nil && x.failure.Fault == 0 {
			x.failure = cad.About(cad.Panic, x.team.world(x.team.Rank))
			x.failure.Text = fmt.Sprint(v)
		}
	}()
	x.args.Op.Apply(inout, in)
}

// temp returns n bytes that last until the next call of temp.
func (x *Short) temp(n int) []byte {
	if cap(x.scratch) < n {
		x.scratch = make([]byte, n)
	}
	return x.scratch[:n]
}
