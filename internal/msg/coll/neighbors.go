package coll

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/mpi/fault"
)

// Edge is one message of a neighbourhood exchange.
type Edge struct {
	Member int // the other end; negative: nobody, and nothing is done
	Tag    int // below 1<<24: tells apart several edges between two members
	Data   btl.Buffer
}

// Exchange is one neighbourhood exchange, as one member makes it.
type Exchange struct {
	Out, In []Edge

	// Across says that the edges depend on the root of the call, which other members may not know: at most one leads to
	// each member and one comes from there, and all tags are 0.
	Across bool

	// Layouts says that the data of edges may have layouts. All members give the same.
	Layouts bool

	// Wrong is as in Args.
	Wrong error

	Hooks
}

// edgeTags is where the tags of edges begin: above those of all other messages.
const edgeTags = 1 << 30

// Neighbors sends and receives along edges. Messages to one member with the same tag
// are received in the order in which they are in Out. It returns when all are there,
// and blocks until then. The error is Wrong, or that of the first edge that failed.
func (t *Team) Neighbors(x Exchange) error {
	start := t.Engine.Calls().Begin()
	t.connect()
	if err := t.prepareEdges(&x); err != nil {
		t.refuse(neighbors, err, x.Bare(t.Size))
		return fmt.Errorf("coll: neighbors: %w", err)
	}
	t.begin(neighborsName)
	defer t.end()
	defer t.recordNeighbors(&x, start)
	t.call = uint64(neighbors) << callKindAt
	if !t.Check && t.Size > 1 {
		t.rememberEdges(blocking, t.turn, &x)
	}
	if !t.Check || t.Size == 1 || t.agree() {
		x.before()
		t.alongEdges(x.Out, x.In)
	}
	if err := t.verdict(); err != nil {
		return fmt.Errorf("coll: neighbors: %w", err)
	}
	x.after()
	return nil
}

// Bare is the exchange without its data: members that need the data receive too little. It is nil if the edges depend
// on arguments that may be wrong.
func (x *Exchange) Bare(members int) *Exchange {
	if x.Across {
		return nil
	}
	strip := func(edges []Edge) (list []Edge) {
		for _, e := range edges {
			if e.Member < members {
				list = append(list, Edge{Member: e.Member, Tag: e.Tag})
			}
		}
		return list
	}
	return &Exchange{Out: strip(x.Out), In: strip(x.In)}
}

// VerifyNeighbors is Verify of an exchange.
func (t *Team) VerifyNeighbors(x Exchange) error {
	t.connect()
	err := t.prepareEdges(&x)
	return verify(t, neighbors, err, func() uint64 { return uint64(neighbors) << callKindAt })
}

// prepareEdges returns what is wrong with an exchange.
func (t *Team) prepareEdges(x *Exchange) error {
	if x.Wrong != nil {
		return x.Wrong
	}
	for _, edges := range [][]Edge{x.In, x.Out} {
		for i := range edges {
			if edges[i].Member >= t.Size {
				return &fault.RankError{Rank: edges[i].Member, Size: t.Size}
			}
		}
	}
	if !t.Check {
		return nil
	}
	var parts []btl.Buffer
	for i := range x.In {
		if x.In[i].Member >= 0 {
			parts = append(parts, x.In[i].Data)
		}
	}
	if btl.Twice(parts...) {
		return ErrTwice
	}
	return nil
}

// alongEdges sends and receives, and notes what goes wrong.
func (t *Team) alongEdges(out, in []Edge) {
	t.requests = append(t.requests[:0], make([]pml.Request, len(in)+len(out))...)
	requests := t.requests
	for i, e := range in {
		if e.Member >= 0 {
			requests[i] = t.edge(t.Engine.IrecvBuffer(t.Context, t.world(e.Member), edgeTags+e.Tag, e.Data))
		}
	}
	t.together(out)
	for i, e := range out {
		if e.Member >= 0 {
			requests[len(in)+
				i] = t.edge(t.Engine.IsendBuffer(t.Context, t.world(e.Member), edgeTags+e.Tag, e.Data, pml.Standard))
		}
	}
	var waits pml.Waits
	type look struct {
		edge *Edge
		came uint64
	}
	var looks []look // edges of which something may be wrong
	waits.Begin(t.Engine)
	for i := range requests {
		st, err := waits.Wait(&requests[i])
		if truncated, ok := errors.AsType[*fault.TruncateError](err); ok {
			st.Bytes, err = truncated.Length, nil
		}
		t.failed(err)
		if i < len(in) && in[i].Member >= 0 && err == nil &&
			(st.Bytes == 0 || st.Bytes != uint64(in[i].Data.Len())) {
			looks = append(looks, look{&in[i], st.Bytes})
		}
	}
	waits.End()
	for _, l := range looks {
		if f := l.edge.wrong(t, l.came); t.failure.Fault == 0 {
			t.failure = f
		}
	}
}

// wrong returns what is wrong with an edge of a call along which so many bytes have come: its other end was refused the
// call, and has said so before (Refusal.tell), or it sends another length.
func (e *Edge) wrong(t *Team, came uint64) (f cad.Failure) {
	from, tag, text := t.world(e.Member), refusalTag(t.turn), make([]byte, cad.TextSize)
	_, told, _ := t.Engine.Iprobe(t.Context, from, tag)
	if told {
		_, err := t.Engine.Recv(t.Context, from, tag, text)
		told = err == nil
	}
	switch want := uint64(e.Data.Len()); {
	case came == want:
	case told:
		f = cad.About(cad.Refused, from)
		f.Text = cad.TextOf(text)
	default:
		f = cad.AboutTwo(cad.Length, from, t.world(t.Rank), came, want)
	}
	return f
}

// together tells the engine what is sent at a time.
func (t *Team) together(out []Edge) {
	if !t.Engine.Routes().Plans() {
		return
	}
	t.members = t.members[:0]
	for _, e := range out {
		if e.Member >= 0 {
			t.members = append(t.members,
				btl.Member{Peer: t.world(e.Member), Tag: int32(edgeTags + e.Tag),
					Context: t.Context, Bytes: e.Data.Len()})
		}
	}
	t.Engine.Within(func(in pml.Inside) { in.Together(t.members) })
}

// failed takes note of an error of the layer below.
func (t *Team) failed(err error) {
	if err != nil && t.broken == nil {
		t.broken = err
	}
}

func (t *Team) edge(r pml.Request, err error) pml.Request {
	t.failed(err)
	return r
}

// NeighborsGraph is Neighbors as a graph; see Graph. The messages between two members
// are matched by their tags, and those with the same tag by their order. once: it will be issued once, next.
func (t *Team) NeighborsGraph(x Exchange, once bool) (*cad.Graph, error) {
	if err := t.prepareEdges(&x); err != nil {
		return cad.NewRefusal(uint64(neighbors), "i"+neighborsName), fmt.Errorf("coll: neighbors: %w", err)
	}
	if once && !t.Check && t.Size > 1 {
		t.connect()
		t.issued++
		t.rememberEdges(nonblocking, t.issued, &x)
	}
	return x.graph(t), nil
}

func (x *Exchange) graph(t *Team) *cad.Graph {
	b := newBuilder(t, Args{Hooks: x.Hooks})
	b.uncut = x.Layouts
	for _, e := range byTag(x.In) {
		b.recvPart(e.Data, e.Member)
	}
	for _, e := range byTag(x.Out) {
		b.sendPart(e.Data, e.Member)
	}
	b.g.Name, b.g.Signature = "i"+neighborsName, uint64(neighbors)<<callKindAt
	b.finish()
	return b.g
}

// byTag returns the edges that lead to somebody, in the order of their tags.
func byTag(edges []Edge) []Edge {
	edges = slices.DeleteFunc(slices.Clone(edges), func(e Edge) bool { return e.Member < 0 })
	slices.SortStableFunc(edges, func(a, b Edge) int { return cmp.Compare(a.Tag, b.Tag) })
	return edges
}
