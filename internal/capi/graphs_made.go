package capi

import (
	"github.com/gopvas/gopvas/internal/msg/comm"
)

// Graphs of the program are an extension: MPIX_Graph. A graph that is issued or prepared gets no more nodes.

// graphObject is what a handle of a graph stands for.
type graphObject struct {
	g      *comm.Graph
	on     *communicator
	closed bool // it was issued or prepared
}

// programGraphs are the graphs that the program has made.
var programGraphs = tableOf[graphObject](kindGraph)

// graphOf returns the graph of a handle.
func (p *Process) graphOf(h Graph) (*graphObject, error) {
	if g := programGraphs.get(uintptr(h)); g != nil {
		return g, nil
	}
	return nil, wrongHandle(kindGraph, uintptr(h))
}

// X_Graph_new is MPIX_Graph_new.
func (p *Process) X_Graph_new(c Comm, out WidePtr[Graph]) error {
	on, err := p.intra(c)
	if err != nil {
		return err
	}
	h := programGraphs.add(&graphObject{g: comm.NewGraph(on.c), on: on})
	if h == 0 {
		return fail(ERR_OTHER, "there are a million graphs: free those that are no longer used")
	}
	out.Set(Graph(h))
	return nil
}

// refuse locates the error of a call on a graph.
func (g *graphObject) refuse(err error) error {
	if err != nil {
		err = located{err, g.on}
	}
	return err
}

// named gives the number of a new node out.
func named(n comm.Node, node Ref) error {
	node.Set(int(n))
	return nil
}

// open returns an error if the graph gets no more nodes and edges.
func (g *graphObject) open() error {
	if g.closed {
		return fail(ERR_ARG, "the graph was issued or prepared, and is not changed after that: make another one")
	}
	return nil
}

// moves returns the memory of a node that sends to, or receives from, a rank. nobody tells that the rank is
// MPI_PROC_NULL.
func (g *graphObject) moves(p *Process, buf Address, count int, t Type, rank int) (b comm.Buffer, nobody bool,
	err error) {
	if err := g.open(); err != nil {
		return b, false, err
	}
	if rank != PROC_NULL && (rank < 0 || rank >= g.on.c.Size()) {
		return b, false, fail(ERR_RANK, "rank %d: %s has ranks 0 to %d", rank, g.on.title(), g.on.c.Size()-1)
	}
	b, err = p.buffer(buf, count, t)
	return b, rank == PROC_NULL, err
}

// X_Graph_send is MPIX_Graph_send.
func (p *Process) X_Graph_send(buf Address, count int, t Type, dest int, g *graphObject, node Ref) error {
	return g.message(p, comm.SendNode, buf, count, t, dest, node)
}

// X_Graph_recv is MPIX_Graph_recv.
func (p *Process) X_Graph_recv(buf Address, count int, t Type, source int, g *graphObject, node Ref) error {
	return g.message(p, comm.RecvNode, buf, count, t, source, node)
}

// message adds the node of a message with a rank.
func (g *graphObject) message(p *Process, add func(*comm.Graph, comm.Buffer, int, error) comm.Node, buf Address,
	count int, t Type, rank int, node Ref) error {
	b, nobody, err := g.moves(p, buf, count, t, rank)
	switch {
	case err != nil:
		return g.refuse(err)
	case nobody:
		return named(g.g.JoinNode(), node)
	}
	return named(add(g.g, b, rank, nil), node)
}

// X_Graph_copy is MPIX_Graph_copy.
func (p *Process) X_Graph_copy(in, out Address, count int, t Type, g *graphObject, node Ref) error {
	from, _, err := g.moves(p, in, count, t, PROC_NULL)
	if err != nil {
		return g.refuse(err)
	}
	to, err := p.buffer(out, count, t)
	if err != nil {
		return g.refuse(err)
	}
	return named(comm.CopyNode(g.g, to, from, nil), node)
}

// X_Graph_reduce is MPIX_Graph_reduce.
func (p *Process) X_Graph_reduce(in, inout Address, count int, t Type, op Op, g *graphObject, node Ref) error {
	r, err := p.reductionOf(op, t)
	if err == nil {
		err = g.open()
	}
	if err == nil && r.image != nil {
		err = fail(ERR_TYPE, "elements of %s do not lie side by side: a graph reduces those that do", r.t.label())
	}
	if err != nil {
		return g.refuse(err)
	}
	from, _, _, err := r.operand(in, count)
	if err != nil {
		return g.refuse(err)
	}
	to, _, _, err := r.operand(inout, count)
	if err != nil {
		return g.refuse(err)
	}
	return named(comm.CalcNode(g.g, r.op, to, from, nil), node)
}

// X_Graph_call is MPIX_Graph_call.
func (p *Process) X_Graph_call(function Func, extra Address, g *graphObject, node Ref) error {
	err := g.open()
	if err == nil && function.Entry == 0 {
		err = fail(ERR_ARG, "the function of the node is a null pointer")
	}
	if err != nil {
		return g.refuse(err)
	}
	return named(comm.CallNode(g.g, func() {
		operate(func() { Upcall(function.Entry, []uintptr{uintptr(extra)}) })
	}), node)
}

// X_Graph_order is MPIX_Graph_order.
func (p *Process) X_Graph_order(before, after int, g *graphObject) error {
	err := g.open()
	for _, n := range []int{before, after} {
		if err == nil && (n < 0 || n >= g.g.Len()) {
			err = fail(ERR_ARG, "%d is no node: the graph has nodes 0 to %d", n, g.g.Len()-1)
		}
	}
	if err == nil {
		g.g.Connect(comm.Node(before), comm.Node(after))
	}
	return g.refuse(err)
}

// X_Graph_tie is MPIX_Graph_tie.
func (p *Process) X_Graph_tie(g *graphObject) error {
	err := g.open()
	if err == nil {
		g.g.Tie()
	}
	return g.refuse(err)
}

// X_Graph_issue is MPIX_Graph_issue.
func (p *Process) X_Graph_issue(g *graphObject, out Ptr[Request]) error {
	err := noRequest(out)
	if err == nil {
		g.closed = true
		var r comm.Request
		if r, err = g.g.Issue(); err == nil {
			err = p.begun(r, g.on.collectives, out)
		}
	}
	return g.refuse(classed(err, ERR_ARG))
}

// X_Graph_init is MPIX_Graph_init.
func (p *Process) X_Graph_init(g *graphObject, info Info, out Ptr[Request]) error {
	_, err := p.hints(info)
	if err == nil {
		err = noRequest(out)
	}
	if err != nil {
		return g.refuse(err)
	}
	g.closed = true
	return g.refuse(classed(p.prepareApart(g.on, g.g.PrepareOn, out), ERR_ARG))
}

// X_Graph_free is MPIX_Graph_free.
func (p *Process) X_Graph_free(out WidePtr[Graph]) error {
	if programGraphs.remove(uintptr(out.Get())) == nil {
		return wrongHandle(kindGraph, uintptr(out.Get()))
	}
	out.Set(0)
	return nil
}
