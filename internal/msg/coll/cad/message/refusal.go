package message

import (
	"fmt"

	"github.com/gopvas/gopvas/internal/msg/coll/cad"
)

// The rule of refused calls, which holds for all collective operations in all forms: a call is refused if the arguments
// of one member are wrong. It counts as this call at the member, so its later calls meet those of the others. The
// member returns at once with its error. Members that need its part of the call get an error of this call.
//
// If calls are checked the member takes part in the guard of the call, with the refusal as its failure. So all members
// learn of it, and why. Otherwise it asks which call it is, and takes part with that failure: see coll.Team.StandIn. A
// persistent operation is refused when it is prepared, by such a guard, whether calls are checked or not.

// NoteRefusal notes for the hang report that a call is refused, and why, until forget is called. The graph is from
// cad.NewRefusal.
func (t *Transport) NoteRefusal(c *cad.Channel, g *cad.Graph, cause error) (forget func()) {
	if c.Size == 1 {
		return func() {}
	}
	name := g.Title()
	if c.Name != nil {
		name = fmt.Sprintf("%s on %q", name, c.Name())
	}
	note := fmt.Sprintf("%s: %v", name, cause)
	return t.Messages.NoteRefusal(&note)
}

// Refuse takes part in the guard of a refused call, and does not wait. If the engine cannot go on the member's next
// call says so. The transport checks calls.
func (t *Transport) Refuse(c *cad.Channel, g *cad.Graph, cause error) {
	if c.Size == 1 {
		return
	}
	f := cad.About(cad.Refused, t.Rank)
	f.Detail[0], f.Text = g.Signature, cause.Error()
	g.Tie()
	if r, err := t.Build(c, g.Fail(&f)); err == nil {
		if request, err := t.Messages.Begin(r, c.Context); err == nil {
			request.Leave()
		}
	}
}

// outranks tells whether a guard passes on a failure rather than another one: a refusal outranks a mismatch, the
// refusal of the lowest rank those of others, and what else goes wrong outranks both.
func outranks(f, other cad.Failure) bool {
	if f.Kind() != cad.Refused || other.Kind() != cad.Refused {
		return order(f) > order(other)
	}
	return f.Rank() < other.Rank() || f.Rank() == other.Rank() && other.Text == ""
}

func order(f cad.Failure) int {
	switch f.Kind() {
	case 0:
		return 0
	case cad.Mismatch:
		return 1
	case cad.Refused:
		return 2
	}
	return 3
}
