package coll

import (
	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/internal/msg/pml"
)

// A call that is refused counts as this call at its member: see cad/message/refusal.go. The member returns with the
// error at once. Then it stands in for itself: another goroutine takes part in the call, as a member that has failed
// before the call. So no other member waits for ever, the failure takes the way of the missing data, and all members
// count the same steps.
//
// For that the member has to know which call it is: its own arguments are wrong, and the algorithm depends on those of
// the others. So it asks them all (asking.go). If all were refused there is nothing to take part in. In an exchange
// among neighbours the topology tells the edges; without one each member tells its own.

// Refusal is a call of this member that was refused, and that it has not taken part in.
type Refusal struct {
	team    *Team
	kind    int // blocking or nonblocking
	turn    uint64
	name    string
	failure cad.Failure
	edges   *Exchange // nil: they are not known, or it is no exchange
	forget  func()    // for the hang report
}

// refuse counts a call of this member that blocks and is refused, and notes why. In a checked call the others learn of
// it in the guard. Else StandIn is due.
func (t *Team) refuse(kind Kind, cause error, edges *Exchange) {
	t.turn++
	t.erred = true
	g := refusal(t, kind)
	forget := t.transport.NoteRefusal(t.guards(), g, cause)
	if t.Check {
		t.checking().Refuse(t.guards(), g, cause)
		return
	}
	t.owed = newRefusal(t, blocking, t.turn, g, cause)
	if t.owed != nil {
		t.owed.edges, t.owed.forget = edges, forget
	}
}

// refusal returns the graph that stands for a refused call which blocks.
func refusal(t *Team, kind Kind) *cad.Graph {
	g := cad.NewRefusal(uint64(kind), kind.String())
	g.Blocking, g.Shared = true, t.guards() != &t.channel
	return g
}

// Refuse counts a call of this member that does not block and is refused: the graph says which. edges are those of an
// exchange. It returns nil if no Issue is due: calls are checked, or there is one member.
func Refuse(t *Team, g *cad.Graph, cause error, edges *Exchange, forget func()) *Refusal {
	t.connect()
	t.issued++
	t.erred = true
	r := newRefusal(t, nonblocking, t.issued, g, cause)
	if r != nil {
		r.edges, r.forget = edges, forget
	}
	return r
}

func newRefusal(t *Team, kind int, turn uint64, g *cad.Graph, cause error) *Refusal {
	if t.Check || t.Size == 1 {
		return nil
	}
	t.remember(kind, turn, g.Signature, 0, &Args{})
	f := cad.About(cad.Refused, t.world(t.Rank))
	f.Detail[0], f.Text = g.Signature, cause.Error()
	return &Refusal{team: t, kind: kind, turn: turn, name: g.Title(), failure: f}
}

// Owed returns the call of this member that blocks and was refused, and for which StandIn is due before its next one;
// nil: none.
func (x *asking) Owed() *Refusal {
	r := x.owed
	x.owed = nil
	return r
}

// StandIn takes part in a call that was refused. It blocks as the call does. It returns no error: the next call does.
// Another goroutine than the one that makes the calls may call it, in the place of that one.
func (r *Refusal) StandIn() {
	defer r.forget()
	t := r.team
	t.failure, t.broken, t.called = r.failure, nil, r.name
	m, edges := r.learn()
	switch {
	case edges != nil:
		r.tell(edges.Out)
		t.alongEdges(edges.Out, edges.In)
	case m != nil:
		r.join(m)
	}
	t.args = Args{}
	t.end()
}

// Issue is StandIn for a call that does not block, on a channel. It waits until it is known which call it is.
func (r *Refusal) Issue(c *cad.Channel, issue func(*cad.Channel, *cad.Graph) (pml.Request, error)) {
	defer r.forget()
	t := r.team
	m, edges := r.learn()
	var request pml.Request
	var err error
	switch {
	case edges != nil:
		request, err = issue(c, edges.graph(t).Fail(&r.failure))
	case m != nil:
		a := m.args(t)
		if t.prepare(&a) != nil {
			return // nobody has made such a call
		}
		if x := t.Short(&a); x != nil {
			x.call = r.failure.Detail[0]
			request, err = x.Begin(c, nil)
		} else {
			g := t.graphBy(t.chooseGraph(&a), a)
			g.Signature = m.call
			request, err = issue(c, g.Fail(&r.failure))
		}
	}
	if err == nil { // else the engine cannot go on, and later calls say so
		request.Leave()
	}
}

// learn finds out which call was refused, or along which edges others communicate with this member in it. Both are nil
// if there is nothing to take part in, or nobody left to say so.
func (r *Refusal) learn() (*made, *Exchange) {
	if r.edges != nil {
		return nil, r.edges
	}
	x, err := r.inquire()
	switch kind := x.found.kind(); {
	case err != nil || kind == None || kind > neighbors:
		return nil, nil
	case kind == neighbors:
		return nil, &x.edges
	}
	return &x.found, nil
}

// join takes part in a call, as a member that has failed before it.
func (r *Refusal) join(m *made) {
	t := r.team
	t.args = m.args(t)
	if err := t.prepare(&t.args); err != nil {
		return // nobody has made such a call
	}
	t.call, t.size = m.call, m.size
	l := t.choose()
	switch {
	case t.args.empty(t.Size, t.size):
	case l.ahead:
		ahead(t)
	case l.run != nil:
		t.inherit()
	default:
		t.transport.Failed = &t.failure
		t.execute(l)
		t.transport.Failed = nil
	}
}

// tell tells the members that wait for something along edges why the call was refused, before they get less.
func (r *Refusal) tell(out []Edge) {
	t, why := r.team, []byte(r.failure.Text[:min(len(r.failure.Text), cad.TextSize)])
	t.Engine.Within(func(in pml.Inside) {
		for _, e := range out {
			if e.Member >= 0 {
				_ = in.Post(t.Context, t.world(e.Member), refusalTag(r.turn), pml.Mark{}, why)
			}
		}
	})
}

// refusalTag is the tag of a message that says why the call of a number was refused.
func refusalTag(turn uint64) int { return edgeTags + 1<<25 + int(turn%(1<<24)) }

// args are arguments of the call, with memory that nobody else uses.
func (m *made) args(t *Team) Args {
	a := Args{Kind: m.kind(), Irregular: m.call>>irregularAt&1 != 0}
	if a.Kind.rooted() {
		a.Root = int(m.call >> callRootAt & (1<<callRoot - 1))
	}
	own, blocks := Buffer{Data: make([]byte, m.size)}, Buffer{Block: m.size}
	if a.Irregular || a.Kind == ReduceScatter {
		blocks = Buffer{Counts: make([]int, t.Size), Displs: make([]int, t.Size), Unit: 1}
		copy(blocks.Counts, m.of().shares)
		for i := 1; i < t.Size; i++ {
			blocks.Displs[i] = blocks.Displs[i-1] + blocks.Counts[i-1]
		}
		own.Data = make([]byte, max(m.size, blocks.Counts[t.Rank]))
	}
	blocks.Data = make([]byte, blocks.end(t.Size))
	a.Send, a.Recv = own, Buffer{Data: make([]byte, len(own.Data))}
	switch a.Kind {
	case Gather, Allgather:
		a.Recv = blocks
	case Scatter, ReduceScatter:
		a.Send = blocks
	case Alltoall:
		a.Send, a.Recv = blocks, blocks
		a.Recv.Data = make([]byte, len(blocks.Data))
	}
	if a.Kind.reduces() {
		a.Op = &Op{Size: max(int(m.element), 1), Commutative: m.commutative, Exact: m.exact,
			Apply: func(_, _ []byte) {}}
	}
	return a
}
