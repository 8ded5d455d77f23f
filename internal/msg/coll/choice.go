package coll

import (
	"fmt"
	"os"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/gopvas/gopvas/internal/msg/coll/cad"
)

// algorithm is one way to do one kind of operation: at a board, or as a graph.
type algorithm struct {
	kind  Kind
	name  string
	run   func(*Team)    // at a board, which needs memory that all members share
	build func(*builder) // as a graph: blocking by messages, or nonblocking

	// levels is by steps in teams on several nodes: those that need not share memory.
	levels func(t *Team, a *Args, by stepper)

	slot      int // of the job's counts of calls: the place in the table
	graphSlot int // of graphs: behind those of calls that block

	direct  bool // reads and writes buffers of other members, which needs one address space
	regular bool // needs blocks of one length that all members know
	short   bool // of nonblocking calls, too: see short.go
	ahead   bool // members wait only for data that they need: see ahead.go
	layouts bool // takes buffers with layouts

	// fits tells whether it can do calls of n bytes; nil: of any number.
	fits func(t *Team, n int) bool

	// suits tells whether this is the one to take where it is possible, and shared the
	// same for graphs in one address space. n is Args.agreed(). The first line of the table
	// that is possible and suits is taken.
	suits, shared func(t *Team, n int) bool
}

// algorithms is the one place where algorithms are chosen.
//
// All members must come to the same choice. So it may depend on the team, the kind, the root,
// the operator and the job's root block, and for a regular call on its length. The last line
// of each kind can do any call.
//
// Ranks that outnumber the CPUs ask for few sleeps per member, not for few rounds. Graphs
// in one address space copy each block once, wherever its ends lie: to send it through
// others gains nothing but that more of them can share the work.
var algorithms = []algorithm{
	{kind: Barrier, name: "domains", run: byDomains, regular: true, fits: fitsTree, suits: always},
	{kind: Barrier, name: "flat", run: flat, short: true, regular: true, fits: fitsRing, suits: always},
	{kind: Barrier, name: "direct", run: direct, suits: always},
	{kind: Barrier, name: "levels", levels: levelsBarrier, regular: true, suits: always},
	{kind: Barrier, name: "dissemination", build: graphBarrier, suits: undersubscribed, shared: always},
	{kind: Barrier, name: "tree", build: graphBarrierTree, suits: always},

	{kind: Bcast, name: "slot", run: ahead, ahead: true, regular: true, layouts: true, fits: fitsSlots,
		suits: always},
	{kind: Bcast, name: "direct", run: direct, direct: true, layouts: true, suits: always},
	{kind: Bcast, name: "levels", levels: levelsBcast, regular: true, suits: always},
	{kind: Bcast, name: "chain", build: graphBcastChain, suits: longForChain, shared: above(512 << 10)},
	{kind: Bcast, name: "binomial", build: graphBcastBinomial, suits: always, shared: always},

	{kind: Reduce, name: "domains", run: byDomains, regular: true, fits: fitsTree, suits: always},
	{kind: Reduce, name: "slot", run: ahead, ahead: true, regular: true, fits: fitsSlots, suits: always},
	{kind: Reduce, name: "direct", run: direct, direct: true, suits: always},
	{kind: Reduce, name: "levels", levels: levelsReduce, regular: true, suits: always},
	{kind: Reduce, name: "binomial", build: graphReduce, suits: always, shared: always},

	{kind: Allreduce, name: "domains", run: byDomains, regular: true, fits: fitsTree, suits: always},
	{kind: Allreduce, name: "flat", run: flat, short: true, regular: true, fits: fitsRing, suits: always},
	{kind: Allreduce, name: "direct", run: direct, direct: true, suits: always},
	{kind: Allreduce, name: "levels", levels: levelsAllreduce, regular: true, suits: always},
	{kind: Allreduce, name: "shares", build: graphAllreduceShares, suits: above(64 << 10), shared: longForAll},
	{kind: Allreduce, name: "tree", build: graphAllreduceTree, suits: oversubscribed},
	{kind: Allreduce, name: "recursive-doubling", build: graphAllreduceDoubling, suits: always, shared: always},

	{kind: ReduceScatter, name: "domains", run: byDomains, regular: true, fits: fitsTree, suits: always},
	{kind: ReduceScatter, name: "flat", run: flat, short: true, regular: true, fits: fitsRing, suits: always},
	{kind: ReduceScatter, name: "direct", run: direct, direct: true, suits: always},
	{kind: ReduceScatter, name: "shares", build: graphReduceScatter, suits: longShares, shared: always},
	{kind: ReduceScatter, name: "tree", build: graphReduceScatterTree, suits: always},

	{kind: Scan, name: "slot", run: ahead, ahead: true, regular: true, fits: fitsSlots, suits: always},
	{kind: Scan, name: "direct", run: direct, direct: true, suits: always},
	{kind: Scan, name: "blocks", build: graphScan, suits: always, shared: always},
	{kind: Exscan, name: "slot", run: ahead, ahead: true, regular: true, fits: fitsSlots, suits: always},
	{kind: Exscan, name: "direct", run: direct, direct: true, suits: always},
	{kind: Exscan, name: "blocks", build: graphScan, suits: always, shared: always},

	{kind: Gather, name: "slot", run: ahead, ahead: true, regular: true, layouts: true, fits: fitsSlots,
		suits: always},
	{kind: Gather, name: "direct", run: direct, direct: true, layouts: true, suits: always},
	{kind: Gather, name: "levels", levels: levelsGather, regular: true, suits: below(512)},
	{kind: Gather, name: "binomial", build: graphGatherBinomial, regular: true, suits: below(2 << 10)},
	{kind: Gather, name: "linear", build: graphGather, layouts: true, suits: always, shared: always},

	{kind: Scatter, name: "slot", run: ahead, ahead: true, regular: true, layouts: true, fits: fitsSlots,
		suits: always},
	{kind: Scatter, name: "direct", run: direct, direct: true, layouts: true, suits: always},
	{kind: Scatter, name: "levels", levels: levelsScatter, regular: true, suits: below(512)},
	{kind: Scatter, name: "binomial", build: graphScatterBinomial, regular: true, suits: below(2 << 10)},
	{kind: Scatter, name: "linear", build: graphScatter, layouts: true, suits: always, shared: always},

	{kind: Allgather, name: "domains", run: byDomains, regular: true, fits: fitsTree, suits: always},
	{kind: Allgather, name: "flat", run: flat, short: true, regular: true, fits: fitsRing, suits: always},
	{kind: Allgather, name: "direct", run: direct, direct: true, layouts: true, suits: always},
	{kind: Allgather, name: "levels", levels: levelsAllgather, regular: true, suits: always},
	{kind: Allgather, name: "bruck", build: graphAllgatherBruck, regular: true, suits: below(4 << 10)},
	{kind: Allgather, name: "linear", build: graphAllgather, layouts: true, suits: always, shared: always},

	{kind: Alltoall, name: "domains", run: byDomains, regular: true, fits: fitsTree, suits: always},
	{kind: Alltoall, name: "flat", run: flat, short: true, regular: true, fits: fitsRing, suits: always},
	{kind: Alltoall, name: "direct", run: direct, direct: true, layouts: true, suits: always},
	{kind: Alltoall, name: "levels", levels: levelsAlltoall, regular: true, suits: shortForLeaders},
	{kind: Alltoall, name: "bruck", build: graphAlltoallBruck, regular: true, suits: below(256)},
	{kind: Alltoall, name: "linear", build: graphAlltoall, layouts: true, suits: always, shared: always},
}

func init() {
	programSlot = len(algorithms)
	for i := range algorithms {
		l := &algorithms[i]
		l.slot = i
		byKind[l.kind] = append(byKind[l.kind], l)
		if l.short {
			shorts[l.kind] = l
		}
		if l.nonblocking() {
			l.graphSlot = programSlot
			programSlot++
		}
	}
}

// byKind is the table by the kind.
var byKind [kinds][]*algorithm

// programSlot is where the graphs that programs build are counted among the job's calls.
var programSlot int

// NewGraph returns a graph for the program to build.
func NewGraph() *cad.Graph {
	g := cad.NewGraph()
	g.Slot = programSlot
	return g
}

func never(*Team, int) bool  { return false }
func always(*Team, int) bool { return true }

func above(bytes int) func(*Team, int) bool {
	return func(t *Team, n int) bool { return t.Size > 2 && n > bytes }
}

func below(bytes int) func(*Team, int) bool {
	return func(_ *Team, n int) bool { return n < bytes }
}

// oversubscribed tells whether there are more ranks than CPUs: on the node of a team that
// shares memory, else in the whole job, as it began. undersubscribed is the contrary. All members get the
// same answer.
func oversubscribed(t *Team, _ int) bool {
	if t.Engine.Routes().Memory(t.World) != nil {
		return t.Job.Oversubscribed()
	}
	if t.Apart {
		return true // a job knows nothing of the CPUs of another
	}
	return t.Job.AllOversubscribed()
}

func undersubscribed(t *Team, _ int) bool { return !oversubscribed(t, 0) }

// longForAll: shares ask each member for two messages with each other one, of its share;
// recursive doubling for a few of the whole, and for memory. With 2, 4 and 16 members they
// take the same time at about 4 KiB for each other member.
func longForAll(t *Team, n int) bool { return n > (t.Size-1)*4<<10 }

// shortForLeaders: the leaders of the nodes send fewer messages than all members do, and longer ones. Each
// message makes a member wait for its turn where there are more ranks than CPUs.
func shortForLeaders(t *Team, n int) bool {
	return n < 2<<10 || n < 16<<10 && oversubscribed(t, n)
}

func longShares(t *Team, n int) bool { return n > 16<<10 }

// possible tells whether an algorithm can do a call.
func (l *algorithm) possible(t *Team, a *Args) bool {
	return (!l.regular || !a.Irregular) && (l.levels == nil || t.fitsLevels(a)) &&
		(l.fits == nil || l.fits(t, a.agreed()))
}

// choice is what a choice depends on besides the team and the kind, and what it was.
type choice struct {
	irregular bool
	ordered   bool // the operator does not commute
	exact     bool // the operator
	boarded   bool // see boarded in ahead.go
	size      int
	want      string
	algorithm *algorithm
}

// choose returns the algorithm of the present call: that of the last call of its kind if
// both are alike, which spares most programs the search.
func (t *Team) choose() *algorithm {
	a := &t.args
	last, want := &t.chosen[a.Kind], t.Choice.Blocking[a.Kind]
	ordered, exact := a.Op != nil && !a.Op.Commutative, a.Op != nil && a.Op.Exact
	if last.algorithm == nil || last.size != t.size || last.irregular != a.Irregular ||
		last.ordered != ordered || last.exact != exact || last.want != want || !last.boarded {
		mayMeet := t.board == nil || boarded(t)
		*last = choice{irregular: a.Irregular, ordered: ordered, exact: exact, boarded: mayMeet, size: t.size,
			want: want}
		last.algorithm = t.search(mayMeet)
	}
	return last.algorithm
}

// search is choose without the memory. boarded tells whether the call may be one at the board.
func (t *Team) search(boarded bool) *algorithm {
	memory := t.Engine.Routes().Memory(t.World)
	kind := t.args.Kind
	return t.pick(&t.args, kind.String(), t.Choice.Blocking[kind], func(l *algorithm) func(*Team, int) bool {
		if l.run != nil && (memory == nil || l.direct && !memory.Direct() || !boarded) {
			return nil
		}
		return l.suits
	})
}

// chooseGraph returns the algorithm of a nonblocking call that was prepared.
func (t *Team) chooseGraph(a *Args) *algorithm {
	t.connect()
	space := t.Engine.Routes().Direct(t.World)
	return t.pick(a, graphName(a.Kind), t.Choice.Graphs[a.Kind], func(l *algorithm) func(*Team, int) bool {
		switch {
		case l.build == nil && l.levels == nil:
			return nil
		case space && l.shared == nil:
			return never
		case space:
			return l.shared
		}
		return l.suits
	})
}

// pick returns the algorithm of an operation that is asked for if it is possible, else the first in the
// table that suits. suits returns nil for those that cannot be used.
func (t *Team) pick(a *Args, operation, want string, suits func(*algorithm) func(*Team, int) bool) *algorithm {
	n := a.agreed()
	var found *algorithm
	for _, l := range byKind[a.Kind] {
		if f := suits(l); f != nil && l.possible(t, a) {
			if l.name == want {
				return l
			}
			if found == nil && f(t, n) {
				found = l
			}
			if found != nil && want == "" {
				return found
			}
		}
	}
	if found != nil && t.Size > 1 && t.world(t.Rank) == 0 {
		if _, told := toldOf.LoadOrStore(operation, true); !told {
			fmt.Fprintf(os.Stderr, "rank 0: warning: --coll %s=%s: %d ranks cannot do a call of %d bytes so, and "+
				"do it by %s\n", operation, want, t.Size, n, found.name)
		}
	}
	return found
}

// toldOf are the operations that the user has been told of, whose algorithm could not be taken.
var toldOf sync.Map

// Choice names the algorithms that are asked for, for each kind; empty: none is. Where the
// algorithm cannot do a call (it needs one address space, or blocks of one length), the call
// is done as if nothing had been asked for.
type Choice struct {
	Blocking [kinds]string
	Graphs   [kinds]string // of nonblocking and persistent calls

	// Reproducible leaves out those by which the bits of a result depend on where the members are.
	Reproducible bool
}

// ParseChoice reads a list such as "allreduce=tree,ibcast=chain". Names of nonblocking
// operations, which stand for persistent ones too, begin with an i. The error names what
// there is to choose from.
func ParseChoice(s string) (c Choice, err error) {
	for item := range strings.SplitSeq(s, ",") {
		if item == "" {
			continue
		}
		operation, name, ok := strings.Cut(item, "=")
		if !ok {
			return c, fmt.Errorf("%q is not of the form operation=algorithm", item)
		}
		kind, graph, ok := parseOperation(operation)
		if !ok {
			return c, fmt.Errorf("%q: there is no operation %q, but %s; "+
				"and with an i in front, such as ibcast, those that do not block", item, operation,
				strings.Join(kindNames[1:], ", "))
		}
		names, choice := Algorithms(kind), &c.Blocking
		if graph {
			names, choice = GraphAlgorithms(kind), &c.Graphs
		}
		if !slices.Contains(names, name) {
			return c, fmt.Errorf("%q: there is no algorithm %q, but %s",
				item, name, strings.Join(names, ", "))
		}
		choice[kind] = name
	}
	return c, nil
}

// nonblocking tells whether the algorithm can do nonblocking calls.
func (l *algorithm) nonblocking() bool { return l.build != nil || l.short || l.levels != nil }

// graphName is what a nonblocking operation is called.
func graphName(kind Kind) string { return graphNames[kind] }

// graphNames are put together once, since that allocates.
var graphNames = func() (list [kinds]string) {
	for kind := range kinds {
		list[kind] = "i" + kind.String()
	}
	return list
}()

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
	return names(kind, func(*algorithm) bool { return true })
}

// GraphAlgorithms returns the names of the algorithms of a nonblocking operation, sorted.
func GraphAlgorithms(kind Kind) []string {
	return names(kind, (*algorithm).nonblocking)
}

func names(kind Kind, with func(*algorithm) bool) (names []string) {
	for _, l := range byKind[kind] {
		if with(l) {
			names = append(names, l.name)
		}
	}
	sort.Strings(names)
	return names
}
