package graph

import "fmt"

// ID is the number of an operation in its graph. Those of a rank are consecutive.
type ID uint32

// A graph has at most so many operations, ranks and dependencies.
const (
	MaxOps   = 1<<27 - 1
	MaxRanks = 1 << 22
	maxDeps  = 1<<29 - 1
)

// Any stands for any source, or any tag, of a receive.
const Any = -1

// Free is the NIC of messages that cost nothing, of either end. Ranks that wait for one another
// without a message are modelled by them.
const Free = 255

// InCall is the tag of a Calc that is a part of a call, such as the reduction of vectors, and not the program's own.
const InCall = -2

// MaxSize is the largest size of an operation: larger ones are no exact float64.
const MaxSize = 1 << 53

// Kind is what an operation does.
type Kind uint8

const (
	Send  Kind = iota // sends Size bytes to Peer
	Recv              // receives Size bytes from Peer
	Calc              // computes for Size nanoseconds
	Isend             // begins to send; complete when the data has left
	Irecv             // begins to receive; complete when the data is there
	Wait              // waits for what it awaits
)

var kinds = [...]string{"send", "recv", "calc", "isend", "irecv", "wait"}

func (k Kind) String() string { return kinds[k] }

// Sends tells whether the operation sends a message.
func (k Kind) Sends() bool { return k == Send || k == Isend }

// Receives tells whether the operation receives a message.
func (k Kind) Receives() bool { return k == Recv || k == Irecv }

// An Op is one operation of a rank.
type Op struct {
	Size int64  // bytes; of a Calc nanoseconds
	Peer int32  // destination, or source or Any
	Tag  int32  // or, of a receive, Any
	Site uint32 // where it comes from: a line of a GOAL file, a call of a program; 0: unknown
	Rank int32
	next uint32 // where its dependents begin among those of its rank
	Kind Kind
	CPU  uint8 // of its rank
	NIC  uint8 // of its rank
}

// Dep is how an operation depends on another.
type Dep uint8

const (
	Requires  Dep = iota // starts when the other has completed
	Irequires            // starts when the other has started
	Awaits               // completes no earlier than the other; of a Wait only
)

var deps = [...]string{"requires", "irequires", "awaits"}

func (d Dep) String() string { return deps[d] }

// A Dependent is an operation that depends on another one.
type Dependent uint32

const depBits = 2

// ID is the operation that depends.
func (d Dependent) ID() ID { return ID(d >> depBits) }

// Dep is how it depends.
func (d Dependent) Dep() Dep { return Dep(d & (1<<depBits - 1)) }

// A Span is a range of operations: First <= id < End.
type Span struct{ First, End ID }

// Len is the number of operations.
func (s Span) Len() int { return int(s.End - s.First) }

// A Graph is the operations of all ranks.
type Graph struct {
	// Name says where the graph comes from, such as a file, for messages.
	Name string

	ops        operations    // and one more, of no rank
	dependents [][]Dependent // by rank
	deps       int
	ranks      []Span
	cpus, nics int
	wildcards  []bool // by rank: has receives from Any source or with Any tag
	waits      bool
}

// Ranks is the number of ranks.
func (g *Graph) Ranks() int { return len(g.ranks) }

// Len is the number of operations.
func (g *Graph) Len() int { return g.ops.count - 1 }

// Deps is the number of dependencies.
func (g *Graph) Deps() int { return g.deps }

// CPUs is the number of CPUs of a rank, one more than the largest index used.
func (g *Graph) CPUs() int { return g.cpus }

// NICs is the number of NICs of a rank, likewise.
func (g *Graph) NICs() int { return g.nics }

// HasWaits tells whether there are operations of kind Wait.
func (g *Graph) HasWaits() bool { return g.waits }

// Wildcards tells whether the rank receives from any source or with any tag.
func (g *Graph) Wildcards(rank int) bool { return g.wildcards[rank] }

// Of returns the operations of a rank.
func (g *Graph) Of(rank int) Span { return g.ranks[rank] }

// Op returns an operation. The caller must not change it.
func (g *Graph) Op(id ID) *Op { return g.ops.at(id) }

// Dependents returns the operations that depend on one, first those that irequire it,
// then the others, each in the order in which they were added. The caller must not
// change them.
func (g *Graph) Dependents(id ID) []Dependent {
	op, behind := g.ops.at(id), g.ops.at(id+1)
	all := g.dependents[op.Rank]
	if op.Rank == behind.Rank {
		all = all[:behind.next]
	}
	return all[op.next:]
}

// Describe names an operation for a person: rank, place and what it does.
func (g *Graph) Describe(id ID) string {
	op := g.ops.at(id)
	return fmt.Sprintf("rank %d, %s: %s", op.Rank, g.Place(id), op)
}

// Place says where an operation comes from.
func (g *Graph) Place(id ID) string {
	op := g.ops.at(id)
	if op.Site != 0 && g.Name != "" {
		return fmt.Sprintf("%s:%d", g.Name, op.Site)
	}
	return fmt.Sprintf("operation %d", id-g.ranks[op.Rank].First)
}

func (o *Op) String() string {
	switch {
	case o.Kind.Sends():
		return fmt.Sprintf("%s %d B to rank %d, tag %d", o.Kind, o.Size, o.Peer, o.Tag)
	case o.Kind.Receives():
		return fmt.Sprintf("%s %d B from %s, tag %s", o.Kind, o.Size, orAny("rank ", o.Peer), orAny("", o.Tag))
	case o.Kind == Calc:
		return fmt.Sprintf("calc %d ns", o.Size)
	}
	return o.Kind.String()
}

func orAny(prefix string, n int32) string {
	if n == Any {
		return "any"
	}
	return fmt.Sprintf("%s%d", prefix, n)
}
