package coll

import (
	"sort"

	"github.com/gopvas/gopvas/coll/cad"
)

// graphAlgorithm is one way to do one kind of operation by graphs.
type graphAlgorithm struct {
	kind  Kind
	name  string
	build func(*builder)
	slot  int // of the job's counts of calls: behind those of calls that block

	// suits is as that of algorithm.
	suits func(t *Team, n int) bool
}

// graphAlgorithms is the one place where the algorithms of graphs are chosen, as
// algorithms is for calls that block; the same holds for what the choice may depend on.
// All of them can do anything: operators are applied in the order of the members.
//
// In one address space a SEND and its RECV are one copy, wherever they lie: what is
// sent through others is copied more often, and gains nothing but that more of them
// can share the work.
var graphAlgorithms = []graphAlgorithm{
	{kind: Barrier, name: "dissemination", build: graphBarrier, suits: always},

	{kind: Bcast, name: "chain", build: graphBcastChain, suits: above(512 << 10)},
	{kind: Bcast, name: "binomial", build: graphBcastBinomial, suits: always},

	{kind: Reduce, name: "binomial", build: graphReduce, suits: always},

	{kind: Allreduce, name: "shares", build: graphAllreduceShares, suits: longForAll},
	{kind: Allreduce, name: "recursive-doubling", build: graphAllreduceDoubling, suits: always},

	{kind: ReduceScatter, name: "shares", build: graphReduceScatter, suits: always},

	{kind: Scan, name: "chain", build: graphScanChain, suits: above(32 << 10)},
	{kind: Scan, name: "recursive-doubling", build: graphScanDoubling, suits: always},
	{kind: Exscan, name: "chain", build: graphScanChain, suits: above(32 << 10)},
	{kind: Exscan, name: "recursive-doubling", build: graphScanDoubling, suits: always},

	{kind: Gather, name: "linear", build: graphGather, suits: always},
	{kind: Scatter, name: "linear", build: graphScatter, suits: always},
	{kind: Allgather, name: "linear", build: graphAllgather, suits: always},
	{kind: Alltoall, name: "pairwise", build: graphAlltoall, suits: always},
}

// longForAll: shares ask each member for two messages with each other one, of its share;
// recursive doubling for a few of the whole, and for memory. With 2, 4 and 16 members they
// take the same time at about 4 KiB for each other member.
func longForAll(t *Team, n int) bool { return n > (t.Size-1)*4<<10 }

// programSlot is where the graphs that programs build are counted among the job's calls.
var programSlot int

// NewGraph returns a graph for the program to build.
func NewGraph() *cad.Graph {
	g := cad.NewGraph()
	g.Slot = programSlot
	return g
}

// chooseGraph returns the algorithm for a call that was prepared: the one that is asked
// for, else the first in the table.
func (t *Team) chooseGraph(a *Args) *graphAlgorithm {
	n := 0
	if !a.Irregular {
		n = a.size()
	}
	want := t.Choice.Graphs[a.Kind]
	for i := range graphAlgorithms {
		l := &graphAlgorithms[i]
		if l.kind == a.Kind && (l.name == want || want == "" && l.suits(t, n)) {
			return l
		}
	}
	panic("coll: the table of graphs has no line for " + a.Kind.String())
}

// graphName is what a nonblocking operation is called.
func graphName(kind Kind) string { return "i" + kind.String() }

// GraphAlgorithms returns the names of the algorithms of a nonblocking operation, sorted.
func GraphAlgorithms(kind Kind) []string {
	var names []string
	for _, l := range graphAlgorithms {
		if l.kind == kind {
			names = append(names, l.name)
		}
	}
	sort.Strings(names)
	return names
}
