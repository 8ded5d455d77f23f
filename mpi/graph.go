package mpi

import (
	"errors"

	"github.com/gopvas/gopvas/internal/coll/cad"
	"github.com/gopvas/gopvas/internal/comm"
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
// CopyNode and CalcNode, and by these methods:
//
//	JoinNode  a node that does nothing
//	Connect   an edge between two nodes
//	Tie       edges to GraphStart and GraphEnd
//	SetPolicy, SetUrgent, Dump
//	Issue     begins the graph
//	Prepare   makes a persistent request
//
//	g := mpi.NewGraph(c)               // a link of a chain
//	recv := mpi.RecvNode(g, buf, c.Rank()-1)
//	send := mpi.SendNode(g, buf, c.Rank()+1)
//	g.Connect(recv, send)
//	g.Tie()
//	request, err := g.Issue()
type Graph = comm.Graph

// Node names a node of one graph.
type Node = cad.Node

// GraphStart and GraphEnd are in every graph. Every node comes after GraphStart and
// before GraphEnd: see Graph.Connect and Graph.Tie.
const (
	GraphStart = cad.Start
	GraphEnd   = cad.End
)

// GraphError says what is wrong with a graph: a cycle, a node that can not be reached, a
// rank that there is not, lengths that differ.
type GraphError = fault.GraphError

// ErrTooMany means that this rank has begun too many nonblocking collective operations
// and not waited for them.
var ErrTooMany = cad.ErrTooMany

// Policy says who executes the nodes of a graph. Between processes it is always the rank
// that has issued it.
type Policy = cad.Policy

// The policies.
const (
	PolicyDefault = cad.Default // that of pvasrun --progress
	PolicyOwner   = cad.Owner   // the rank that has issued the graph
	PolicyShare   = cad.Share   // who is at hand, and if nobody is, the rank that completes what a node waits for
)

// NewGraph returns a graph of no nodes but GraphStart and GraphEnd.
func NewGraph(c *Comm) *Graph { return comm.NewGraph(c) }

// SendNode adds a node that sends buf to a rank, which may be this one.
func SendNode[T any](g *Graph, buf []T, rank int) Node {
	b, _, err := asBytes(buf)
	return comm.SendNode(g, b, rank, err)
}

// RecvNode adds a node that receives exactly len(buf) elements from a rank.
func RecvNode[T any](g *Graph, buf []T, rank int) Node {
	b, _, err := asBytes(buf)
	return comm.RecvNode(g, b, rank, err)
}

// CopyNode adds a node that copies src to dst, which are as long and do not overlap.
func CopyNode[T any](g *Graph, dst, src []T) Node {
	to, _, err := asBytes(dst)
	from, _, _ := asBytes(src)
	return comm.CopyNode(g, to, from, err)
}

// CalcNode adds a node that sets inout[i] = inout[i] op in[i]. If the operator is one of
// this package, or of RegisterOp, any
// rank can execute it, else only the one that issues the graph.
func CalcNode[T any](g *Graph, op *Op[T], inout, in []T) Node {
	to, _, err := asBytes(inout)
	from, _, _ := asBytes(in)
	return comm.CalcNode(g, op.get(), to, from, errors.Join(op.check(), err))
}
