package coll

import (
	"fmt"

	"github.com/gopvas/gopvas/pml"
)

// state is what a team keeps between and during calls.
type state struct {
	args     Args  // the call; keeps its buffers reachable and on the heap
	fault    fault // the first thing that went wrong in the call
	panicked any   // of this rank's operator
	broken   error // why there is no message to be had any more: finalized
	scratch  []byte
	last     string // algorithm of the last call
	odd      odd    // what is known of a mismatch

	board    *board      // direct only: made by the first call
	calls    uint64      // entered on the board
	spinning func() bool // spinningOver, as a value: made once, since it allocates
	over     *pml.Condition
	phase    phase
	leaked   []Args // their buffers may still be in use by others
	turn     uint   // number of the call, in messages
	called   string // name of the call that is underway; "": none is
	known    bool   // to the engine, for the hang report
}

// Run does one collective operation. It blocks until this member's part is done, and does
// not change a. The error is, or wraps, a *LostError, *MismatchError, *OpError,
// *RankError, *ArgumentError or pml.ErrFinalized. After a *LostError the other members may
// still be writing to the buffer that was to be received into.
func (t *Team) Run(a *Args) error {
	t.args, t.fault, t.panicked, t.broken = *a, 0, nil, nil
	t.turn++
	t.begin(a.Kind.String())
	if a.Wrong == nil {
		a.before()
	}
	bad := t.prepare(&t.args)
	switch {
	case bad != nil:
		t.refuse(*a)
	case !t.Check || t.agree():
		algorithm := t.choose()
		t.last = algorithm.name
		t.Root.CountCall(t.world(t.Rank), algorithm.slot)
		algorithm.run(t)
	}
	err := t.verdict()
	if bad != nil {
		err = bad // rather than what came of it
	}
	t.args, t.panicked, t.called = Args{}, nil, ""
	if err != nil {
		return fmt.Errorf("coll: %v: %w", a.Kind, err)
	}
	a.after()
	return nil
}

// begin has the hang report know the call.
func (t *Team) begin(name string) {
	t.called = name
	if !t.known {
		t.known = true
		t.Engine.Explain(t.Context, t.explain)
	}
}

// verdict turns what was noted into an error.
func (t *Team) verdict() error {
	f := t.fault
	switch {
	case t.broken != nil:
		return t.broken
	case f == 0:
		return nil
	case f.kind() == faultLost:
		return &LostError{Rank: f.rank()}
	case f.kind() == faultOp:
		e := &OpError{Rank: f.rank()}
		if f.rank() == t.world(t.Rank) {
			e.Value = t.panicked
		}
		return e
	}
	return t.mismatch(f)
}

// temp returns n bytes that last until the next call of temp.
func (t *Team) temp(n int) []byte {
	if cap(t.scratch) < n {
		t.scratch = make([]byte, n)
	}
	return t.scratch[:n]
}

// Last returns the name of the algorithm of the last call; to be read by the
// goroutine that made it.
func (t *Team) Last() string { return t.last }

// Barrier returns when all members have called it.
func (t *Team) Barrier() error { return t.Run(&Args{Kind: Barrier}) }

// Bcast gives all members what the root has in buf.
func (t *Team) Bcast(buf []byte, root int) error {
	return t.Run(&Args{Kind: Bcast, Root: root, Send: Buffer{Data: buf}})
}

// Allgather gives all members what each has in send, in the order of the team.
func (t *Team) Allgather(send, recv []byte) error {
	return t.Run(&Args{Kind: Allgather, Send: Buffer{Data: send}, Recv: Buffer{Data: recv, Block: len(send)}})
}

// Allreduce combines what all members have in send.
func (t *Team) Allreduce(send, recv []byte, op *Op) error {
	return t.Run(&Args{Kind: Allreduce, Op: op, Send: Buffer{Data: send}, Recv: Buffer{Data: recv}})
}
