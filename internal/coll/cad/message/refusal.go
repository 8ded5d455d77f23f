package message

import (
	"fmt"

	"github.com/gopvas/gopvas/internal/coll/cad"
)

// The one rule of refused calls, which holds for all collective operations in all forms: a call is refused if the
// arguments of one member are wrong. A refused call is no call. The member has sent nothing for it, returns at once,
// and no call of another member is matched with it. If the member repeats the call rightly, all goes on.
//
// Other members may wait in a call that the member does not repeat. If calls are checked, they are told as soon as the
// member makes another call: the guard of its next calls presents the refusal, in case that the calls differ.
//
//   - All make the same call: the refused one was of this member alone. Refusals of other operations are forgotten. One
//     of the same operation stays, since the others may have made that call once more.
//   - The calls differ, and members are in the operation that was refused: their call ends with the cause of the
//     refusal. For members in other operations, such as the one that was refused, the round is void: it begins again
//     with the next number. The refusal is forgotten.
//
// A member does not present a refusal of the operation that it calls: that call is the repetition.
//
// Invariant: all members take part in the same number of rounds, because all decide by the same refusal. In a guard a
// refusal outranks a mismatch, the refusal of the lowest rank outranks those of others, and whether calls differ is
// passed on with it (decisive).

// mostRefusals bounds the memory for the refusals of a rank that makes no other call. Later ones are not told.
const mostRefusals = 64

// Refuse notes that a call of an operation, which has a name, is refused, and why: for the hang report and, if calls
// are checked, for the next guards. It neither sends nor waits.
func (t *Transport) Refuse(c *cad.Channel, operation uint64, name string, cause error) {
	if c.Size == 1 {
		return
	}
	if c.Name != nil {
		name = fmt.Sprintf("%s on %q", name, c.Name())
	}
	note := fmt.Sprintf("%s: %v", name, cause)
	t.Messages.NoteRefusal(&note)
	if !t.Check {
		return
	}
	x := &cad.StateOf[State](c).refused
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.list) < mostRefusals {
		x.list = append(x.list, refusal{operation, cause.Error(), x.order, &note})
	}
}

// next counts a guard.
func (x *refusals) next() uint32 {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.order++
	return x.order
}

// first returns the first refusal that came before a guard.
func (x *refusals) first(order uint32) (f refusal, ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.list) == 0 || int32(x.list[0].order-order) >= 0 {
		return f, false
	}
	return x.list[0], true
}

// forget drops the refusals before the guard that are of another operation, but no more than a number of them.
func (r *run) forget(most int) {
	x := &r.state.refused
	x.mu.Lock()
	defer x.mu.Unlock()
	kept := x.list[:0]
	for _, f := range x.list {
		if most > 0 && f.operation != cad.Operation(r.call) && int32(f.order-r.order) < 0 {
			r.t.Messages.ForgetRefusal(f.note)
			most--
			continue
		}
		kept = append(kept, f)
	}
	x.list = kept
}

// present puts the call that was refused before into the guard.
func (r *run) present() {
	if !r.guarded || r.failure.Fault != 0 {
		return
	}
	if f, ok := r.state.refused.first(r.order); ok && f.operation != cad.Operation(r.call) {
		r.failure = cad.About(cad.Refused, r.t.Rank)
		r.failure.Detail[0], r.failure.Text = cad.RefusedCall(f.operation), f.cause
	}
}

// decisive tells that calls differ, in Detail[1] of a refusal.
const decisive = 1

// differs tells whether a failure says that calls differ.
func differs(f cad.Failure) bool {
	return f.Kind() == cad.Mismatch || f.Kind() == cad.Refused && f.Detail[1] == decisive
}

// merge returns what a guard passes on that has heard of two failures: see the invariant above. What else goes wrong
// outranks a refusal: the graph then ends with it.
func merge(a, b cad.Failure) cad.Failure {
	differ := differs(a) || differs(b)
	f := a
	if a.Fault == 0 || outranks(b, a) {
		f = b
	}
	if f.Kind() == cad.Refused && differ {
		f.Detail[1] = decisive
	}
	return f
}

// outranks tells whether a guard passes on this failure rather than another one.
func outranks(f, other cad.Failure) bool {
	switch {
	case f.Fault == 0:
		return false
	case f.Kind() != cad.Refused:
		return other.Kind() == cad.Refused && f.Kind() != cad.Mismatch
	case other.Kind() == cad.Refused:
		return f.Rank() < other.Rank() || f.Rank() == other.Rank() && other.Text == ""
	}
	return other.Kind() == cad.Mismatch
}

// void tells whether the round is void for this member.
func (r *run) void() bool {
	f := r.failure
	return f.Kind() == cad.Refused && differs(f) && cad.Operation(f.Detail[0]) != cad.Operation(r.call)
}

// again begins the graph anew, with the next number, after a round that was void.
func (r *run) again() {
	if r.failure.Rank() == r.t.Rank {
		r.forget(1)
	}
	r.leaveFlight()
	r.reset()
	r.number = r.channel.Next()
	if s := r.state; !r.alone() {
		s.guard, s.Flight = r, append(s.Flight, r.number)
	}
	r.present()
	r.finish(cad.Start)
}

// settle takes what the guard has found out.
func (r *run) settle() {
	if r.failure.Kind() == cad.Refused && !differs(r.failure) {
		r.failure = cad.Failure{}
	}
	if r.failure.Fault == 0 {
		r.forget(mostRefusals)
	}
}
