package message

import (
	"errors"

	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/mpi/fault"
)

// compare returns the failure, if any, that a message shows which was received in a call. So
// many bytes were expected.
func compare(me int, call uint64, number uint32, want uint64, st pml.Status, mark pml.Mark) cad.Failure {
	from := st.Source
	switch f := cad.Between(me, call, from, mark.Word); {
	case f.Fault != 0:
		return f
	case (mark.Number^number)&(1<<markBits-1) != 0:
		return cad.AboutTwo(cad.Mismatch, from, me) // of a call long ago
	case st.Bytes != want:
		return cad.AboutTwo(cad.Length, from, me, st.Bytes, want)
	}
	return cad.Failure{}
}

// note keeps the first failure, and in a guard the one that all members are to know. Members in different
// calls cannot go on: see Faults.
func (r *run) note(f cad.Failure) {
	switch {
	case r.guarded:
		if outranks(f, r.failure) {
			r.failure = f
		}
	case r.failure.Fault == 0:
		r.failure = f
	}
	if f.Kind() == cad.Mismatch && !r.guarded {
		r.giveUp()
	}
}

// failed is for a message that cannot come or go.
func (r *run) failed(n cad.Node, err error) {
	lost, ok := errors.AsType[*fault.LostError](err)
	if !ok {
		r.broken = err
		r.giveUp()
		return
	}
	r.note(cad.About(cad.Lost, r.t.culprit(r.channel, lost.Rank)))
	r.finish(n)
}

// culprit returns the rank to be named if a rank has gone.
func (t *Transport) culprit(c *cad.Channel, rank int) int {
	return cad.Culprit(t.Job, rank, func(r int) bool { return c.MemberOf(r) >= 0 || t.Whole != nil && t.Whole(r) })
}

// giveUp ends the graph. It withdraws the messages that it can, and leaves the others.
func (r *run) giveUp() {
	r.done = true
	in := r.t.Messages.Inside()
	for i := range r.active {
		in.Drop(&r.active[i].request)
		in.Leave(&r.active[i].request)
	}
	clear(r.active)
	r.active, r.stack = r.active[:0], r.stack[:0]
}
