package comm

import (
	"errors"
	"io"
	"sync/atomic"

	"github.com/gopvas/gopvas/internal/msg/coll"
	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/internal/msg/coll/cad/shared"
)

// Graph is one rank's part of a collective algorithm that the program makes up: sends,
// receives, copies and reductions as nodes, and which of them come after which.
type Graph struct {
	c   *Comm
	g   *cad.Graph
	err error // the first mistake that a face has found
}

// Node names a node of one graph.
type Node = cad.Node

// errNoGraph is for a nil Graph.
var errNoGraph = errors.New("the graph is nil: NewGraph makes one")

// NewGraph returns a graph of no nodes but GraphStart and GraphEnd.
func NewGraph(c *Comm) *Graph { return &Graph{c: c, g: coll.NewGraph()} }

// nodes returns where the nodes are, and notes a mistake. The nodes of a nil Graph are
// nowhere.
func (g *Graph) nodes(wrong error) *cad.Graph {
	if g == nil || g.g == nil { // also of a zero graph: Issue says so
		return coll.NewGraph()
	}
	if wrong != nil && g.err == nil {
		g.err = wrong
	}
	return g.g
}

// SendNode adds a node that sends buf to a rank, which may be this one. wrong is what the
// face has found wrong with it: the first mistake is the error of Issue and Prepare. So
// with the other nodes.
func SendNode(g *Graph, buf Buffer, rank int, wrong error) Node {
	return g.nodes(wrong).SendBuffer(buf, rank)
}

// RecvNode adds a node that receives exactly as many bytes as buf has from a rank.
func RecvNode(g *Graph, buf Buffer, rank int, wrong error) Node {
	return g.nodes(wrong).RecvBuffer(buf, rank)
}

// CopyNode adds a node that copies src to dst, which are as long and do not overlap.
func CopyNode(g *Graph, dst, src Buffer, wrong error) Node {
	return g.nodes(wrong).CopyBuffer(dst, src)
}

// CallNode adds a node that has the rank that issues the graph call f.
func CallNode(g *Graph, f func()) Node { return g.nodes(nil).Call(f) }

// CalcNode adds a node that sets inout[i] = inout[i] op in[i]. If the operator has a name
// any rank can execute it, else only the one that issues the graph.
func CalcNode(g *Graph, op *coll.Op, inout, in []byte, wrong error) Node {
	return g.nodes(wrong).Calc(op, inout, in)
}

// Len returns how many nodes there are, the start and the end among them.
func (g *Graph) Len() int { return g.nodes(nil).Len() }

// JoinNode adds a node that does nothing.
func (g *Graph) JoinNode() Node { return g.nodes(nil).Join() }

// Connect has b begin after a is done.
func (g *Graph) Connect(a, b Node) { g.nodes(nil).Connect(a, b) }

// Tie connects GraphStart to all nodes that come after nothing, and all nodes that nothing comes
// after to GraphEnd.
func (g *Graph) Tie() { g.nodes(nil).Tie() }

// SetPolicy and SetUrgent are called before the graph is issued for the first time.
func (g *Graph) SetPolicy(p cad.Policy) { g.nodes(nil).Policy = p }

// SetUrgent is described with SetPolicy.
func (g *Graph) SetUrgent(urgent bool) { g.nodes(nil).Urgent = urgent }

// Dump writes the graph in the language of Graphviz.
func (g *Graph) Dump(w io.Writer) error { return g.nodes(nil).Dump(w) }

// Issue begins the graph, and does not block.
func (g *Graph) Issue() (Request, error) {
	if g == nil {
		return Request{}, Wrap("issue graph", errNoGraph)
	}
	begin := func() (Request, error) { return g.c.issue(g.g, g.err) }
	if g.c.made() == nil && held(g.c) {
		r, err := beginBehind(g.c, "issue graph", begin)
		return r, Wrap("issue graph", err)
	}
	r, err := begin()
	return r, Wrap("issue graph", err)
}

// Prepare returns a persistent request.
func (g *Graph) Prepare() (Request, error) {
	if g == nil {
		return Request{}, Wrap("prepare graph", errNoGraph)
	}
	return g.PrepareOn(g.c)
}

// PrepareOn is Prepare on another communicator of the same ranks.
func (g *Graph) PrepareOn(c *Comm) (Request, error) {
	r, err := c.prepare(g.g, g.err)
	return r, Wrap("prepare graph", err)
}

// issue begins a graph on the communicator, unless there is something wrong with it. A graph for which there is no room
// is no call that is refused: the program makes the call again.
func (c *Comm) issue(g *cad.Graph, wrong error) (r Request, err error) {
	if err := c.mayCall(); err != nil {
		return Request{}, err
	}
	if err = wrong; err == nil {
		r.r, err = c.graphs.Issue(c.channel, g)
	}
	if err != nil && !errors.Is(err, shared.ErrTooMany) { // if calls are checked the others hear of it
		c.graphs.Refuse(c.channel, g, err)
	}
	return r, err
}

// issueCall is issue for the graph of a collective operation. If that is refused it counts nevertheless, and another
// goroutine takes part for this rank. edges are those of an exchange, as far as they are known.
func (c *Comm) issueCall(g *cad.Graph, wrong error, edges *coll.Exchange) (Request, error) {
	if wrong == nil || c.mayCall() != nil {
		r, err := c.issue(g, wrong)
		if errors.Is(err, shared.ErrTooMany) {
			coll.Retract(c.team)
		}
		return r, err
	}
	forget := c.graphs.Refuse(c.channel, g, wrong)
	if r := coll.Refuse(c.team, g, wrong, edges, forget); r != nil {
		standIn(c, func() { r.Issue(c.channel, c.graphs.Issue) })
	}
	return Request{}, wrong
}

// beginShort begins a short operation on the communicator.
func (c *Comm) beginShort(x *coll.Short, held *atomic.Uint32) (Request, error) {
	if err := c.usable(); err != nil {
		x.Release()
		return Request{}, err
	}
	r, err := x.Begin(c.channel, held)
	return Request{r}, err
}

// prepare makes a persistent request for a graph.
func (c *Comm) prepare(g *cad.Graph, wrong error) (r Request, err error) {
	if err := c.mayCall(); err != nil {
		return Request{}, err
	}
	if err = wrong; err == nil {
		r.r, err = c.graphs.Prepare(c.channel, g)
	}
	return r, err
}
