package coll

import (
	"errors"
	"fmt"

	"github.com/gopvas/gopvas/job"
	"github.com/gopvas/gopvas/pml"
)

// Collectives by messages. The messages of a call need no number to be told apart: those
// of one member to another arrive in order, all members make the same calls in the same
// order, and each call receives all that is sent to it. So a receive takes whatever
// comes next from its peer, and the tag is free to say what that is: the kind of call and
// its turn, by which a member that is in another one, or has left a message behind that
// nobody wanted, is found out; and what has gone wrong.
//
// Faults. A member for which something goes wrong (a peer has gone, its operator
// panics, a length does not fit) does not leave: it goes on with all its sends and
// receives, and from then on its messages say so. Thus nobody waits for a message
// that will not come, and who depends on lost data learns why. A wait for a rank that
// has gone ends at once, by the layer below.

// Tags are (fault*tagTurns + turn)*tagKinds + kind.
const (
	tagKinds = 32
	tagTurns = 64 // the number of the call is modulo this
)

func (t *Team) tag() int {
	return (int(t.fault)*tagTurns+int(t.turn%tagTurns))*tagKinds + int(t.args.Kind)
}

// send sends to a member.
func (t *Team) send(to int, buf []byte) {
	t.failed(t.Engine.Send(t.Context, t.world(to), t.tag(), buf, pml.Standard))
}

// recv receives len(buf) bytes from a member.
func (t *Team) recv(from int, buf []byte) {
	st, err := t.Engine.Recv(t.Context, t.world(from), pml.AnyTag, buf)
	t.received(from, st, len(buf), err)
}

// isend and irecv begin, wait ends. The zero request is complete.
func (t *Team) isend(to int, buf []byte) (r pml.Request) {
	r, err := t.Engine.Isend(t.Context, t.world(to), t.tag(), buf, pml.Standard)
	t.failed(err)
	return r
}

func (t *Team) irecv(from int, buf []byte) (r pml.Request) {
	r, err := t.Engine.Irecv(t.Context, t.world(from), pml.AnyTag, buf)
	t.failed(err)
	return r
}

func (t *Team) sent(r *pml.Request) {
	_, err := t.Engine.Wait(r)
	t.failed(err)
}

func (t *Team) arrived(from int, r *pml.Request, length int) {
	if !r.Active() {
		return // it could not be begun, which is noted
	}
	st, err := t.Engine.Wait(r)
	t.received(from, st, length, err)
}

// exchange sends to one member and receives from another at the same time.
func (t *Team) exchange(to int, out []byte, from int, in []byte) {
	r := t.irecv(from, in)
	t.send(to, out)
	t.arrived(from, &r, len(in))
}

func (t *Team) received(from int, st pml.Status, want int, err error) {
	length, err := lengthOf(st, err)
	if err != nil {
		t.failed(err)
		return
	}
	if f := fault(st.Tag / (tagKinds * tagTurns)); f != 0 {
		t.note(f)
	}
	kind, late := Kind(st.Tag%tagKinds), (st.Tag^t.tag())/tagKinds%tagTurns != 0
	if kind != t.args.Kind || late || length != uint64(want) {
		t.note(faultMismatch | fault(t.world(from)))
		t.odd = odd{kind: kind, size: length, late: late, known: true}
	}
}

// lengthOf returns how long a message was, which may be more than there was room for,
// and what else was wrong.
func lengthOf(st pml.Status, err error) (uint64, error) {
	if truncated, ok := errors.AsType[*pml.TruncateError](err); ok {
		return truncated.Length, nil
	}
	return st.Bytes, err
}

// failed takes note of an error of the layer below.
func (t *Team) failed(err error) {
	if err == nil {
		return
	}
	if lost, ok := errors.AsType[*LostError](err); ok {
		t.note(faultLost | fault(t.culprit(lost.Rank)))
		return
	}
	if t.broken == nil {
		t.broken = err
	}
}

// culprit returns the member to be named if a rank is found to be gone: it may only
// have left because of another, which went first and not in order.
func (t *Team) culprit(rank int) int {
	first, ok := t.Root.Lost()
	if ok && t.Root.State(first) != job.StateFinal && t.member(first) >= 0 {
		return first
	}
	return rank
}

// mismatch makes the error. The fault has one of those ranks that are not in agreement.
func (t *Team) mismatch(f fault) error {
	e := &MismatchError{Member: t.member(f.rank())}
	e.Refused = f.kind() == faultRefused || t.odd.known && t.odd.kind == refused
	e.Detail = fmt.Sprintf("here it was %v of %d bytes", t.args.Kind, t.args.size())
	if t.odd.known {
		e.Detail += fmt.Sprintf(", there %v of %d bytes", t.odd.kind, t.odd.size)
	}
	if t.odd.late {
		e.Detail += ", in another call"
	}
	t.odd = odd{}
	return e
}

// odd is what is known about the call of a member that differs.
type odd struct {
	kind  Kind
	size  uint64
	late  bool // it is not the present one
	known bool
}
