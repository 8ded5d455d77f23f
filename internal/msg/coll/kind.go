package coll

import "github.com/gopvas/gopvas/internal/msg/coll/cad"

// Kind is a collective operation.
type Kind uint8

// The collective operations.
const (
	None Kind = iota
	Barrier
	Bcast
	Reduce
	Allreduce
	ReduceScatter
	Scan
	Exscan
	Gather
	Scatter
	Allgather
	Alltoall
	kinds
)

var kindNames = [...]string{"none", "barrier", "bcast", "reduce", "allreduce", "reduce_scatter", "scan", "exscan",
	"gather", "scatter", "allgather", "alltoall", neighbors: neighborsName}

// neighbors stands for exchanges among neighbours. The kind of a signature is a cad.Operation.
const neighbors = kinds

// neighborsName is what the hang report calls an exchange among neighbours.
const neighborsName = "neighbor exchange"

// String returns the name of the operation as the choice of algorithms has it.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown collective"
}

// rooted tells whether one member has a part of its own in the operation.
func (k Kind) rooted() bool { return k == Bcast || k == Reduce || k == Gather || k == Scatter }

// needsAll tells whether no member can end before all have begun.
func (k Kind) needsAll() bool {
	switch k {
	case Barrier, Allreduce, ReduceScatter, Allgather, Alltoall:
		return true
	}
	return false
}

// chained tells whether members need what others before them give.
func (k Kind) chained() bool { return k == Scan || k == Exscan }

// reduces tells whether the operation has an operator.
func (k Kind) reduces() bool { return k >= Reduce && k <= Exscan }

// Op is an operator on elements of Size bytes. It is taken to be associative, and applied in the order of package
// order. What inout holds comes from lower ranks than what in holds. Apply is called by any rank, for any part of
// the vectors; a panic of it becomes an *OperatorError on all members that wait for the result.
type Op = cad.Op
