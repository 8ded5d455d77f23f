package cad

import (
	"fmt"
	"slices"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/node/job"
)

// Kind is what a node does.
type Kind uint8

// The kinds of nodes.
const (
	kindStart Kind = iota // is done when the graph is issued
	KindEnd               // is done when the graph is complete
	Send                  // gives bytes to a RECV of another graph
	Recv                  // takes bytes from a SEND
	Copy                  // moves bytes within the rank
	Calc                  // applies an operator
	Join                  // does nothing, for those that wait for many
	Call                  // calls a function of the rank that has issued the graph
	Gate                  // ends the graph if something is wrong with it: see Guarded
)

// String returns the name of the kind, as the paper writes it.
func (k Kind) String() string {
	return [...]string{"START", "END", "SEND", "RECV", "COPY", "CALC", "JOIN", "CALL", "GATE"}[k]
}

// Node names a node of one Graph, in the order of creation.
type Node int32

// Start and End are in every graph.
const (
	Start Node = 0
	End   Node = 1
)

// Policy says who executes a node that has become ready.
type Policy uint8

const (
	// Default is Share. Between processes only the rank that has issued the graph executes it.
	Default Policy = iota
	// Owner is the rank that has issued the graph: in any call, or by its helper. For the setting of a job that
	// excludes a thread that watches the network.
	Owner
	// Share leaves long nodes to a rank that polls in a wait. If there is more to do than
	// waking costs, it wakes a rank that sleeps in a wait, or a helper. Else the executor
	// that completes the last predecessor executes the node: to leave work for later while
	// all are busy would only delay it.
	Share
)

var policyNames = [...]string{"default", "owner", "share"}

// String returns the name of the policy.
func (p Policy) String() string { return policyNames[p] }

// ParsePolicy is the inverse of String.
func ParsePolicy(s string) (Policy, error) {
	if i := slices.Index(policyNames[:], s); i >= 0 {
		return Policy(i), nil
	}
	return 0, fmt.Errorf("cad: policy %q: there are %v", s, policyNames)
}

// Graph is one rank's part of a collective algorithm: operations, and which of them
// come after which. It is built by one goroutine, issued on a Channel, and not changed after
// that. While an issue is underway its buffers are not touched, but for reading what is sent.
// A graph that was issued can be issued again when it is complete.
type Graph struct {
	// Policy and Urgent are set before the first issue. Urgent graphs come first where
	// there is a choice.
	Policy Policy
	Urgent bool

	// Signature is a word for the call that the graph stands for; 0 is a graph that the program
	// has built. All members of the channel must have the same. Members that meet and do not
	// get a *MismatchError that names both calls.
	Signature uint64

	// Slot is where the issues are counted in the job's counts of calls; 0: they are not.
	Slot int

	// Name is what the hang report calls the operation; "": a graph of the program.
	Name string

	// NeedsAll tells that the graph cannot be complete before all members have issued
	// theirs. It is for the hang report.
	NeedsAll bool

	// Blocking tells that the rank does nothing else until the graph is complete. It is for
	// the hang report: where such a rank waits is all that others can wait for.
	Blocking bool

	// Agreed is for the hang report, of a graph that is a part of a call; zero: it is the call.
	Agreed job.Agreed

	// Failed is what has failed before the issue: the graph gives it to others in the place of data. nil: nothing has.
	Failed *Failure

	// Shared tells that a graph which blocks is issued on the channel of graphs that do not.
	Shared bool

	Nodes []Spec
	Edges []Edge
	reuse *reuse // nil: each issue builds it anew
	err   error  // the first mistake in building it
}

// Spec is a node as it was made.
type Spec struct {
	Kind     Kind
	Peer     int        // member, of SEND and RECV
	Dst, Src btl.Buffer // RECV, COPY, CALC write dst; SEND, COPY, CALC read src
	Op       *Op        // of CALC, and of a RECV that folds, and what CALL calls
	Inner    bool       // of CALL: the function knows nothing but the call that the graph stands for
}

// reuse is the state of a graph that stays built between its issues.
type reuse struct {
	built   Built          // nil: it is not built yet
	back    func(g *Graph) // takes the graph between issues
	buffers buffers        // that it works on
	old     buffers        // that it worked on before
	data    [2][]byte      // the same, for the garbage collector, while an issue is underway
	bare    bool           // the nodes no longer refer to the buffers
}

// Own tells whether only calls of the program, or its helper, may execute the node: it calls a function that only the
// program knows.
func (s *Spec) Own() bool { return s.Op != nil && s.Op.Name == 0 && !s.Inner }

// Folds tells whether a RECV applies an operator.
func (s *Spec) Folds() bool { return s.Kind == Recv && s.Op != nil }

type Edge struct{ From, To Node }

// NewGraph returns a graph with START and END only.
func NewGraph() *Graph {
	return &Graph{Nodes: []Spec{{Kind: kindStart}, {Kind: KindEnd}}}
}

// NewRefusal returns the graph that stands for a refused call of an operation: see message.Transport.Refuse.
func NewRefusal(operation uint64, name string) *Graph {
	g := NewGraph()
	g.Signature, g.Name = RefusedCall(operation), name
	return g
}

// Fail sets Failed.
func (g *Graph) Fail(f *Failure) *Graph {
	g.Failed = f
	return g
}

// Len returns the number of nodes, START and END among them.
func (g *Graph) Len() int { return len(g.Nodes) }

func (g *Graph) add(s Spec) Node {
	g.Nodes = append(g.Nodes, s)
	return Node(len(g.Nodes) - 1)
}

// Send adds a SEND of buf to a member of the channel. It is done when buf may be
// overwritten. The k-th SEND of one member to another meets the k-th RECV there, in the
// order in which they were added to the two graphs that have the same number on the
// channel, whenever each of them becomes ready. A member may send to itself.
func (g *Graph) Send(buf []byte, to int) Node { return g.SendBuffer(btl.Buffer{Bytes: buf}, to) }

// SendBuffer is Send from a buffer that may have a layout.
func (g *Graph) SendBuffer(buf btl.Buffer, to int) Node {
	return g.add(Spec{Kind: Send, Peer: to, Src: buf})
}

// Recv adds a RECV of exactly len(buf) bytes from a member.
func (g *Graph) Recv(buf []byte, from int) Node { return g.RecvBuffer(btl.Buffer{Bytes: buf}, from) }

// RecvBuffer is Recv into a buffer that may have a layout.
func (g *Graph) RecvBuffer(buf btl.Buffer, from int) Node {
	return g.add(Spec{Kind: Recv, Peer: from, Dst: buf})
}

// Fold adds a RECV that sets inout = inout op what comes from a member, element by
// element. In one address space it takes no other memory.
func (g *Graph) Fold(op *Op, inout []byte, from int) Node {
	n := g.add(Spec{Kind: Recv, Peer: from, Dst: btl.Buffer{Bytes: inout}, Op: op})
	g.needs(n, op)
	return n
}

// Copy adds a COPY of src to dst, which are equally long and do not overlap.
func (g *Graph) Copy(dst, src []byte) Node {
	return g.CopyBuffer(btl.Buffer{Bytes: dst}, btl.Buffer{Bytes: src})
}

// CopyBuffer is Copy between buffers that may have layouts.
func (g *Graph) CopyBuffer(dst, src btl.Buffer) Node {
	n := g.add(Spec{Kind: Copy, Dst: dst, Src: src})
	g.sameLength(n, dst.Len(), src.Len())
	return n
}

// Calc adds a CALC that sets inout = inout op in, element by element.
func (g *Graph) Calc(op *Op, inout, in []byte) Node {
	n := g.add(Spec{Kind: Calc, Dst: btl.Buffer{Bytes: inout}, Src: btl.Buffer{Bytes: in}, Op: op})
	g.sameLength(n, len(inout), len(in))
	g.needs(n, op)
	return n
}

// Join adds a node that does nothing.
func (g *Graph) Join() Node { return g.add(Spec{Kind: Join}) }

// Call adds a node that has the rank that issues the graph call f, in one of its own calls
// or by its helper. It is left out if something has gone wrong with the graph by then. If f
// panics that is an *OperatorError, as of an operator.
func (g *Graph) Call(f func()) Node {
	return g.add(Spec{Kind: Call, Op: &Op{Apply: func(_, _ []byte) { f() }}})
}

// CallLast is Call for a node that comes after all others that there are.
func (g *Graph) CallLast(f func()) Node {
	_, last := g.outer()
	return g.connectAll(last, g.Call(f))
}

// JoinLast returns a node that comes after all others that there are: Start if there are none.
func (g *Graph) JoinLast() Node {
	_, last := g.outer()
	switch len(last) {
	case 0:
		return Start
	case 1:
		return last[0]
	}
	return g.connectAll(last, g.Join())
}

func (g *Graph) connectAll(from []Node, to Node) Node {
	for _, n := range from {
		g.Connect(n, to)
	}
	return to
}

// Connect has b begin after a is done. a may be Start, b may be End. To connect two
// nodes again changes nothing.
func (g *Graph) Connect(a, b Node) {
	if !g.has(a) || !g.has(b) {
		g.mistake(fmt.Errorf("edge from node %d to node %d of a graph with %d nodes", a, b, len(g.Nodes)))
		return
	}
	g.Edges = append(g.Edges, Edge{a, b})
}

// Tie connects Start to every node that comes after nothing, and every node that
// nothing comes after to End.
func (g *Graph) Tie() {
	first, last := g.outer()
	for _, n := range first {
		g.Connect(Start, n)
	}
	for _, n := range last {
		g.Connect(n, End)
	}
	if len(g.Edges) == 0 {
		g.Connect(Start, End) // there is nothing else
	}
}

// outer returns the nodes that come after nothing, and those that nothing comes after.
func (g *Graph) outer() (first, last []Node) {
	after, before := make([]bool, len(g.Nodes)), make([]bool, len(g.Nodes))
	for _, e := range g.Edges {
		after[e.To], before[e.From] = true, true
	}
	for n := End + 1; int(n) < len(g.Nodes); n++ {
		if !after[n] {
			first = append(first, n)
		}
		if !before[n] {
			last = append(last, n)
		}
	}
	return first, last
}

func (g *Graph) has(n Node) bool { return n >= 0 && int(n) < len(g.Nodes) }

func (g *Graph) needs(n Node, op *Op) {
	if op == nil || op.Apply == nil {
		g.mistake(fmt.Errorf("node %d (%v) has no operator", n, g.Nodes[n].Kind))
	}
}

func (g *Graph) sameLength(n Node, dst, src int) {
	if dst != src {
		g.mistake(fmt.Errorf("node %d (%v) has %d bytes to write and %d bytes to read", n, g.Nodes[n].Kind, dst, src))
	}
}

func (g *Graph) mistake(err error) {
	if g.err == nil {
		g.err = err
	}
}
