package coll

import (
	"fmt"

	"github.com/gopvas/gopvas/pml"
)

// Edge is one message of a neighbourhood exchange.
type Edge struct {
	Member int // the other end; negative: nobody, and nothing is done
	Tag    int // below MaxEdges: tells apart several edges between two members
	Data   []byte
}

// Exchange is one neighbourhood exchange, as one member makes it.
type Exchange struct {
	Out, In []Edge

	// Wrong is as in Args. The edges then have no data, but are there, so that the
	// others do not wait.
	Wrong error

	Hooks
}

// MaxEdges bounds the tags of edges.
const MaxEdges = 1 << 24

// edgeTags is where the tags of edges begin: above those of all other messages.
const edgeTags = 1 << 30

// Neighbors sends and receives along edges. Messages to one member with the same tag
// are received in the order in which they are in Out. It returns when all are there,
// and blocks until then. The error is Wrong, or that of the first edge that failed.
func (t *Team) Neighbors(x Exchange) error {
	t.fault, t.broken = 0, nil
	t.args = Args{}
	t.begin("neighbor exchange")
	defer func() { t.called = "" }()
	if x.Wrong == nil {
		x.before()
	}
	t.alongEdges(x.Out, x.In)
	err := t.verdict()
	if x.Wrong != nil {
		err = x.Wrong // rather than what came of it
	}
	if err != nil {
		return fmt.Errorf("coll: neighbors: %w", err)
	}
	x.after()
	return nil
}

// alongEdges sends and receives, and notes what goes wrong.
func (t *Team) alongEdges(out, in []Edge) {
	requests := make([]pml.Request, len(in)+len(out))
	for i, e := range in {
		if e.Member >= 0 {
			requests[i] = t.edge(t.Engine.Irecv(t.Context, t.world(e.Member), edgeTags+e.Tag, e.Data))
		}
	}
	for i, e := range out {
		if e.Member >= 0 {
			requests[len(in)+i] = t.edge(t.Engine.Isend(t.Context, t.world(e.Member), edgeTags+e.Tag, e.Data, pml.Standard))
		}
	}
	for i := range requests {
		st, err := t.Engine.Wait(&requests[i])
		length, err := lengthOf(st, err)
		t.failed(err)
		if i < len(in) && in[i].Member >= 0 && err == nil && length != uint64(len(in[i].Data)) && t.fault == 0 {
			t.note(faultMismatch | fault(t.world(in[i].Member)))
			t.odd = odd{size: length, known: true}
		}
	}
}

func (t *Team) edge(r pml.Request, err error) pml.Request {
	t.failed(err)
	return r
}
