package comm

import (
	"github.com/gopvas/gopvas/coll"
	"github.com/gopvas/gopvas/coll/cad"
)

// NeighborCall is a neighbourhood operation that is to be done, begun or prepared.
type NeighborCall struct {
	Comm *Comm
	Op   string // its name in errors
	coll.Exchange
}

// NewNeighborCall returns the call that exchanges with each neighbour what data returns for
// it: the blocks to send and those to receive into, one per neighbour.
func NewNeighborCall(c *Comm, op string, data func(sources, destinations []int) (out, in []Buffer, err error)) NeighborCall {
	k := NeighborCall{Comm: c, Op: op}
	sources, destinations, err := c.neighbors()
	if err != nil {
		k.Wrong = err
		return k
	}
	out, in, err := data(sources, destinations)
	if k.Wrong = err; err != nil {
		// Nothing instead of what they expect, so that the neighbours do not wait.
		out, in = make([]Buffer, len(destinations)), make([]Buffer, len(sources))
	}
	k.Out, k.In = c.edges(out, in, sources, destinations)
	return k
}

// Run does it, and blocks.
func (k NeighborCall) Run() error {
	if err := k.Comm.lockCollective(); err != nil {
		return Wrap(k.Op, err)
	}
	defer k.Comm.mu.Unlock()
	return Wrap(k.Op, bare(k.Comm.team.Neighbors(k.Exchange)))
}

// Begin begins it as a nonblocking operation.
func (k NeighborCall) Begin() (Request, error) {
	g, err := k.graph()
	r, err := k.Comm.issue(g, err)
	return r, nonblockingError(k.Op, err)
}

// Prepare makes a persistent request for it.
func (k NeighborCall) Prepare() (Request, error) {
	g, err := k.graph()
	r, err := k.Comm.prepare(g, err)
	return r, persistentError(k.Op, err)
}

func (k NeighborCall) graph() (*cad.Graph, error) {
	if k.Comm == nil {
		return nil, ErrNoComm
	}
	g, err := k.Comm.team.NeighborsGraph(k.Exchange)
	return g, bare(err)
}

// edges are the messages. On a grid the same two ranks may be neighbours in several
// directions: the tag is the place among the receiver's sources.
func (c *Comm) edges(out, in []Buffer, sources, destinations []int) (sends, receives []coll.Edge) {
	edges := make([]coll.Edge, len(destinations)+len(sources))
	sends, receives = edges[:len(destinations)], edges[len(destinations):]
	ordered := false // whether the order tells messages apart
	for i, to := range destinations {
		tag := c.topology.mirror(i)
		if tag < 0 {
			tag, ordered = 0, true
		}
		sends[i] = coll.Edge{Member: to, Tag: tag, Data: out[i]}
	}
	for i, from := range sources {
		tag := i
		if ordered || len(destinations) == 0 {
			tag = 0
		}
		receives[i] = coll.Edge{Member: from, Tag: tag, Data: in[i]}
	}
	return sends, receives
}
