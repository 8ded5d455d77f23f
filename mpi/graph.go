package mpi

import (
	"errors"
	"io"

	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/internal/msg/coll/cad/shared"
	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/mpi/fault"
)

// Graph is one rank's part of a collective algorithm that the program makes up: sends,
// receives, copies and reductions as nodes, and which of them come after which. It is
// issued as a whole, and then goes on in the background as nonblocking collective
// operations do, which are such graphs themselves.
//
// All ranks of the communicator issue a graph each, in the same order as their other
// nonblocking collective operations; one without nodes will do. The k-th SendNode of a
// rank to another meets the k-th RecvNode there, in the order in which they were made,
// of the same length. One goroutine builds a graph. A mistake in building is the error of
// Issue and Prepare.
//
// The interface is that of the KACC paper (see package cad): InitCAD is NewGraph, MakeSendNode,
// MakeRecvNode and MakeCalcNode are SendNode, RecvNode and CalcNode, ConnectNode is
// Connect, IssueCAD is Issue, QueryCAD is Request.Test. Nodes are made by SendNode, RecvNode,
// CopyNode, CalcNode and JoinNode.
//
//	g := mpi.NewGraph(c)               // a link of a chain
//	recv := mpi.RecvNode(g, buf, c.Rank()-1)
//	send := mpi.SendNode(g, buf, c.Rank()+1)
//	g.Connect(recv, send)
//	g.Tie()
//	request, err := g.Issue()
type Graph comm.Graph

// inner is the graph as the layer below sees it.
func (g *Graph) inner() *comm.Graph { return (*comm.Graph)(g) }

// Node names a node of one graph.
type Node int32

// GraphStart and GraphEnd are in every graph. Every node comes after GraphStart and
// before GraphEnd: see Graph.Connect and Graph.Tie.
const (
	GraphStart = Node(cad.Start)
	GraphEnd   = Node(cad.End)
)

// GraphError says what is wrong with a graph: a cycle, a node that cannot be reached, a
// rank that there is not, lengths that differ.
type GraphError = fault.GraphError

// ErrTooMany means that this rank has begun too many nonblocking collective operations
// and not waited for them.
var ErrTooMany = shared.ErrTooMany

// Policy says who executes the nodes of a graph. Between processes it is always the rank
// that has issued it.
type Policy int

// The policies.
const (
	PolicyDefault = Policy(cad.Default) // that of pvasrun --progress
	PolicyOwner   = Policy(cad.Owner)   // the rank that has issued the graph
	// The rank that is at hand, and if none is, the one that completes what a node waits for.
	PolicyShare = Policy(cad.Share)
)

// NewGraph returns a graph of no nodes but GraphStart and GraphEnd.
func NewGraph(c *Comm) *Graph { return (*Graph)(comm.NewGraph(c.inner())) }

// SendNode adds a node that sends buf to a rank, which may be this one.
func SendNode[T any](g *Graph, buf []T, rank int) Node {
	b, _, err := asBytes(buf)
	return Node(comm.SendNode(g.inner(), comm.Bytes(b), rank, err))
}

// RecvNode adds a node that receives exactly len(buf) elements from a rank.
func RecvNode[T any](g *Graph, buf []T, rank int) Node {
	b, _, err := asBytes(buf)
	return Node(comm.RecvNode(g.inner(), comm.Bytes(b), rank, err))
}

// CopyNode adds a node that copies src to dst, which are as long and do not overlap.
func CopyNode[T any](g *Graph, dst, src []T) Node {
	to, _, err := asBytes(dst)
	from, _, _ := asBytes(src)
	return Node(comm.CopyNode(g.inner(), comm.Bytes(to), comm.Bytes(from), err))
}

// CalcNode adds a node that sets inout[i] = inout[i] op in[i]. If the operator is one of
// this package, or of RegisterOp, any
// rank can execute it, else only the one that issues the graph.
func CalcNode[T any](g *Graph, op *Op[T], inout, in []T) Node {
	to, _, err := asBytes(inout)
	from, _, _ := asBytes(in)
	return Node(comm.CalcNode(g.inner(), op.get(), to, from, errors.Join(op.check(), err)))
}

// JoinNode adds a node that does nothing: many may come after many by way of it.
func (g *Graph) JoinNode() Node { return Node(g.inner().JoinNode()) }

// Connect has b begin after a is done. To connect two nodes again changes nothing.
func (g *Graph) Connect(a, b Node) { g.inner().Connect(cad.Node(a), cad.Node(b)) }

// Tie connects GraphStart to all nodes that come after nothing, and all nodes that
// nothing comes after to GraphEnd.
func (g *Graph) Tie() { g.inner().Tie() }

// SetPolicy and SetUrgent are called before the graph is issued for the first time. Nodes
// of urgent graphs are taken first by the ranks that execute those of others.
func (g *Graph) SetPolicy(p Policy) { g.inner().SetPolicy(cad.Policy(p)) }

// SetUrgent is described with SetPolicy.
func (g *Graph) SetUrgent(urgent bool) { g.inner().SetUrgent(urgent) }

// Dump writes the graph in the language of Graphviz: `dot -Tsvg` draws it.
func (g *Graph) Dump(w io.Writer) error { return g.inner().Dump(w) }

// Issue begins the graph, and does not block. Up to the wait its buffers are in use. It may
// be issued again after that. The error wraps a *GraphError or *TypeError; that of the
// wait a *LostError, a *MismatchError or an *OperatorError.
func (g *Graph) Issue() (Request, error) { return begun(g.inner().Issue()) }

// Prepare returns a persistent request: each Start issues the graph, which costs less
// than Issue.
func (g *Graph) Prepare() (Request, error) { return begun(g.inner().Prepare()) }
