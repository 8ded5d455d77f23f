package coll

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// algorithm is one way to do one kind of operation.
type algorithm struct {
	kind Kind
	name string
	run  func(*Team)
	slot int // of the job's counts of calls: the place in the table

	commutes bool // needs a commutative operator
	regular  bool // needs blocks of one length that all members know
	direct   bool // needs one address space

	// suits tells whether this is the one to take where it is possible. n is
	// Args.size(). The first line of the table that is possible and suits is taken.
	suits func(t *Team, n int) bool
}

// algorithms is the one place where algorithms are chosen.
//
// All members must come to the same choice: so it may depend on the team, on the
// kind, root and operator, on what the job's root block says, and, of a regular call,
// on its length. The last line of each kind can do anything.
//
// Ranks that outnumber the CPUs ask for few sleeps per member, not for few rounds.
var algorithms = []algorithm{
	{kind: Barrier, name: "flat", run: flat, direct: true, regular: true, suits: fitsPages},
	{kind: Barrier, name: "direct", run: direct, direct: true, suits: always},
	{kind: Barrier, name: "dissemination", run: barrierDissemination, suits: roomy},
	{kind: Barrier, name: "tree", run: barrierTree, suits: always},

	{kind: Bcast, name: "flat", run: flat, direct: true, regular: true, suits: fitsPages},
	{kind: Bcast, name: "post", run: posted, direct: true, regular: true, suits: fitsPost},
	{kind: Bcast, name: "direct", run: direct, direct: true, suits: always},
	{kind: Bcast, name: "ring", run: bcastRing, suits: above(256 << 10)},
	{kind: Bcast, name: "binomial", run: bcastBinomial, suits: always},

	{kind: Reduce, name: "flat", run: flat, direct: true, regular: true, suits: fitsPages},
	{kind: Reduce, name: "direct", run: direct, direct: true, suits: always},
	{kind: Reduce, name: "binomial", run: reduceBinomial, suits: always},

	{kind: Allreduce, name: "flat", run: flat, direct: true, regular: true, suits: fitsPages},
	{kind: Allreduce, name: "direct", run: direct, direct: true, suits: always},
	{kind: Allreduce, name: "ring", run: allreduceRing, commutes: true, suits: above(64 << 10)},
	{kind: Allreduce, name: "tree", run: allreduceTree, suits: crowded},
	{kind: Allreduce, name: "recursive-doubling", run: allreduceDoubling, suits: always},

	{kind: ReduceScatter, name: "flat", run: flat, direct: true, regular: true, suits: fitsPages},
	{kind: ReduceScatter, name: "direct", run: direct, direct: true, suits: always},
	{kind: ReduceScatter, name: "pairwise", run: reduceScatterPairwise, commutes: true, suits: above(16 << 10)},
	{kind: ReduceScatter, name: "tree", run: reduceScatterTree, suits: always},

	{kind: Scan, name: "flat", run: flat, direct: true, regular: true, suits: fitsPages},
	{kind: Scan, name: "direct", run: direct, direct: true, suits: always},
	{kind: Scan, name: "recursive-doubling", run: scan, suits: always},
	{kind: Exscan, name: "flat", run: flat, direct: true, regular: true, suits: fitsPages},
	{kind: Exscan, name: "direct", run: direct, direct: true, suits: always},
	{kind: Exscan, name: "recursive-doubling", run: scan, suits: always},

	{kind: Gather, name: "flat", run: flat, direct: true, regular: true, suits: fitsPages},
	{kind: Gather, name: "direct", run: direct, direct: true, suits: always},
	{kind: Gather, name: "binomial", run: gatherBinomial, regular: true, suits: below(2 << 10)},
	{kind: Gather, name: "linear", run: gatherLinear, suits: always},

	{kind: Scatter, name: "flat", run: flat, direct: true, regular: true, suits: fitsPages},
	{kind: Scatter, name: "direct", run: direct, direct: true, suits: always},
	{kind: Scatter, name: "binomial", run: scatterBinomial, regular: true, suits: below(2 << 10)},
	{kind: Scatter, name: "linear", run: scatterLinear, suits: always},

	{kind: Allgather, name: "flat", run: flat, direct: true, regular: true, suits: fitsPages},
	{kind: Allgather, name: "direct", run: direct, direct: true, suits: always},
	{kind: Allgather, name: "bruck", run: allgatherBruck, regular: true, suits: below(4 << 10)},
	{kind: Allgather, name: "ring", run: allgatherRing, suits: always},

	{kind: Alltoall, name: "flat", run: flat, direct: true, regular: true, suits: fitsPages},
	{kind: Alltoall, name: "direct", run: direct, direct: true, suits: always},
	{kind: Alltoall, name: "bruck", run: alltoallBruck, regular: true, suits: below(256)},
	{kind: Alltoall, name: "linear", run: alltoallLinear, suits: always},
	{kind: Alltoall, name: "pairwise", run: alltoallPairwise, suits: always},
}

// Solo and shared are direct with the choice made between the closer doing all the
// work and everybody; they are there to be asked for.
func init() {
	for kind := Bcast; kind < kinds; kind++ {
		for _, name := range []string{"solo", "shared"} {
			algorithms = append(algorithms, algorithm{kind: kind, name: name, run: direct, direct: true, suits: never})
		}
	}
	for i := range algorithms {
		l := &algorithms[i]
		l.slot = i
		byKind[l.kind] = append(byKind[l.kind], l)
	}
	for i := range graphAlgorithms {
		graphAlgorithms[i].slot = len(algorithms) + i
	}
	programSlot = len(algorithms) + len(graphAlgorithms)
}

// byKind is the table by the kind.
var byKind [kinds][]*algorithm

func never(*Team, int) bool  { return false }
func always(*Team, int) bool { return true }

func above(bytes int) func(*Team, int) bool {
	return func(t *Team, n int) bool { return t.Size > 2 && n > bytes }
}

func below(bytes int) func(*Team, int) bool {
	return func(_ *Team, n int) bool { return n < bytes }
}

// crowded tells whether the job's ranks outnumber its CPUs, roomy the contrary.
func crowded(t *Team, _ int) bool { return t.Root.Ranks() > t.Root.CPUs() }
func roomy(t *Team, _ int) bool   { return !crowded(t, 0) }

// possible tells whether an algorithm can do the present call. Lengths play no part:
// an irregular call must be chosen for without them.
func (t *Team) possible(l *algorithm) bool {
	a := &t.args
	return (!l.direct || t.Module.Direct()) &&
		(!l.regular || !a.Irregular) &&
		(!l.commutes || a.Op.Commutative)
}

// choose returns the algorithm of the present call: the one that is asked for if it
// is possible, else the first in the table.
func (t *Team) choose() *algorithm {
	n := 0
	if !t.args.Irregular {
		n = t.args.size()
	}
	if want := t.Choice.Blocking[t.args.Kind]; want != "" {
		for _, l := range byKind[t.args.Kind] {
			if l.name == want && t.possible(l) {
				return l
			}
		}
	}
	for _, l := range byKind[t.args.Kind] {
		if t.possible(l) && l.suits(t, n) {
			return l
		}
	}
	panic("coll: the table of algorithms has no line for " + t.args.Kind.String())
}

// Choice names the algorithms that are asked for, for each kind; empty: none is. Where
// the algorithm can not do a call (it needs one address space, a commutative operator,
// or blocks of one length), the call is done as if nothing had been asked for.
type Choice struct {
	Blocking [kinds]string
	Graphs   [kinds]string // of nonblocking and persistent calls
}

// ParseChoice reads a list such as "allreduce=ring,ibcast=chain". Names of nonblocking
// operations, which stand for persistent ones too, begin with an i. The error names what
// there is to choose from.
func ParseChoice(s string) (c Choice, err error) {
	for item := range strings.SplitSeq(s, ",") {
		if item == "" {
			continue
		}
		operation, name, ok := strings.Cut(item, "=")
		if !ok {
			return c, fmt.Errorf("coll: choice %q is not of the form operation=algorithm", item)
		}
		kind, graph, ok := parseOperation(operation)
		if !ok {
			return c, fmt.Errorf("coll: choice %q: there is no operation %q, but %s; "+
				"and with an i in front, such as ibcast, those that do not block", item, operation, strings.Join(kindNames[1:], ", "))
		}
		names, choice := Algorithms(kind), &c.Blocking
		if graph {
			names, choice = GraphAlgorithms(kind), &c.Graphs
		}
		if !slices.Contains(names, name) {
			return c, fmt.Errorf("coll: choice %q: there is no algorithm %q, but %s",
				item, name, strings.Join(names, ", "))
		}
		choice[kind] = name
	}
	return c, nil
}

// Choices are all items that a list of ParseChoice can have.
func Choices() (list []string) {
	for kind := Barrier; kind < kinds; kind++ {
		for _, name := range Algorithms(kind) {
			list = append(list, kind.String()+"="+name)
		}
		for _, name := range GraphAlgorithms(kind) {
			list = append(list, graphName(kind)+"="+name)
		}
	}
	return list
}

// parseOperation is the inverse of Kind.String and of graphName.
func parseOperation(name string) (kind Kind, graph, ok bool) {
	for kind = Barrier; kind < kinds; kind++ {
		switch name {
		case kind.String():
			return kind, false, true
		case graphName(kind):
			return kind, true, true
		}
	}
	return None, false, false
}

// Algorithms returns the names of the algorithms of an operation, sorted.
func Algorithms(kind Kind) []string {
	var names []string
	for _, l := range byKind[kind] {
		names = append(names, l.name)
	}
	sort.Strings(names)
	return names
}
