package comm

import (
	"github.com/gopvas/gopvas/internal/msg/coll"
	"github.com/gopvas/gopvas/internal/msg/coll/cad"
)

// NeighborCall is a neighbourhood operation that is to be done, begun or prepared.
type NeighborCall struct {
	Comm *Comm
	Op   string // its name in errors
	coll.Exchange
	edges *edges // given back when they are no longer needed
}

// edges are the messages of a neighbourhood operation. A communicator keeps them from call to
// call: the neighbours and tags are the same in all of them.
type edges struct {
	of      *neighborhood
	out, in []coll.Edge
}

// NewNeighborCall returns the call that exchanges data with each neighbour. data sets the Data
// of the edges, one for each neighbour: the block to send, or that to receive into.
func NewNeighborCall(c *Comm, op string, data func(out, in []coll.Edge) error) NeighborCall {
	k := NeighborCall{Comm: c, Op: op}
	if k.Wrong = c.made(); k.Wrong == nil {
		k.edges, k.Wrong = c.takeEdges()
	}
	if k.Wrong != nil {
		return k
	}
	k.Out, k.In = k.edges.out, k.edges.in
	k.Wrong = data(k.Out, k.In)
	return k
}

// SetEdges sets the data of edges, if there is some for each: the caller checks that, or returns
// an error.
func SetEdges(edges []coll.Edge, data []Buffer) {
	for i := range min(len(edges), len(data)) {
		edges[i].Data = data[i]
	}
}

// done gives the edges back, which refer to no data any more.
func (k *NeighborCall) done() {
	if k.edges != nil {
		k.edges.clear()
		k.edges.of.edges.Store(k.edges) // Comm may be another by now
	}
}

func (e *edges) clear() {
	for i := range e.out {
		e.out[i].Data = Buffer{}
	}
	for i := range e.in {
		e.in[i].Data = Buffer{}
	}
}

// Run does it, and blocks.
func (k NeighborCall) Run() error {
	if isView(k.Comm) {
		return k.Comm.bound.collective(k.Op, func(t *coll.Team) error { return t.Neighbors(k.Exchange) })
	}
	if err := k.Comm.enter(k.Op); err != nil {
		return Wrap(k.Op, err)
	}
	err := Wrap(k.Op, Bare(k.Comm.team.Neighbors(k.Exchange)))
	standInOwed(k.Comm)
	leave(k.Comm, k.Op, &err)
	k.done()
	return err
}

// Begin begins it as a nonblocking operation.
func (k NeighborCall) Begin() (Request, error) {
	if isView(k.Comm) {
		k.Comm = k.Comm.bound.of
	}
	c := k.Comm
	if err := c.made(); err != nil {
		return Request{}, nonblockingError(k.Op, err)
	}
	c.channel.AwaitStandIn(nil)
	if held(c) {
		r, err := beginBehind(c, "i"+k.Op, k.begin)
		return r, nonblockingError(k.Op, err)
	}
	r, err := k.begin()
	return r, nonblockingError(k.Op, err)
}

func (k NeighborCall) begin() (Request, error) {
	g, err := k.graph(true)
	if g == nil {
		return Request{}, err
	}
	return k.Comm.issueCall(g, err, k.Bare(k.Comm.size))
}

// Verify is Call.Verify.
func (k NeighborCall) Verify() error {
	if err := k.Comm.enter(k.Op); err != nil {
		return persistentError(k.Op, err)
	}
	err := Bare(k.Comm.team.VerifyNeighbors(k.Exchange))
	leave(k.Comm, "", &err)
	return persistentError(k.Op, err)
}

// Prepare makes a persistent request for it. All ranks wait for one another.
func (k NeighborCall) Prepare() (Request, error) {
	if err := k.Verify(); err != nil {
		k.done()
		return Request{}, err
	}
	g, err := k.graph(false)
	r, err := k.Comm.prepare(g, err)
	return r, persistentError(k.Op, err)
}

func (k NeighborCall) graph(once bool) (*cad.Graph, error) {
	if err := k.Comm.made(); err != nil {
		return nil, err
	}
	g, err := k.Comm.team.NeighborsGraph(k.Exchange, once)
	k.done()
	return g, Bare(err)
}

// takeEdges returns the edges of the topology. Later they are given back to edges.
func (n *neighborhood) takeEdges() (*edges, error) {
	sources, destinations, err := n.neighbors()
	if err != nil {
		return nil, err
	}
	if e := n.edges.Swap(nil); e != nil { // else this is the first call, or another is underway
		return e, nil
	}
	return n.newEdges(sources, destinations), nil
}

// newEdges makes the edges of the topology. On a grid the same two ranks may be neighbours in
// several directions: the tag is the place among the receiver's sources.
func (n *neighborhood) newEdges(sources, destinations []int) *edges {
	e := &edges{of: n, out: make([]coll.Edge, len(destinations)), in: make([]coll.Edge, len(sources))}
	ordered := false // whether the order tells messages apart
	for i, to := range destinations {
		tag := n.topology.mirror(i)
		if tag < 0 {
			tag, ordered = 0, true
		}
		e.out[i] = coll.Edge{Member: to, Tag: tag}
	}
	for i, from := range sources {
		tag := i
		if ordered || len(destinations) == 0 {
			tag = 0
		}
		e.in[i] = coll.Edge{Member: from, Tag: tag}
	}
	return e
}
