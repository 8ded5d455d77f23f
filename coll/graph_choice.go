package coll

// graphAlgorithm is one way to do one kind of operation by graphs.
type graphAlgorithm struct {
	kind  Kind
	name  string
	build func(*builder)

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
	{Barrier, "dissemination", graphBarrier, always},

	{Bcast, "chain", graphBcastChain, above(512 << 10)},
	{Bcast, "binomial", graphBcastBinomial, always},

	{Reduce, "binomial", graphReduce, always},

	{Allreduce, "shares", graphAllreduceShares, above(32 << 10)},
	{Allreduce, "recursive-doubling", graphAllreduceDoubling, always},

	{ReduceScatter, "shares", graphReduceScatter, always},

	{Scan, "chain", graphScanChain, above(32 << 10)},
	{Scan, "recursive-doubling", graphScanDoubling, always},
	{Exscan, "chain", graphScanChain, above(32 << 10)},
	{Exscan, "recursive-doubling", graphScanDoubling, always},

	{Gather, "linear", graphGather, always},
	{Scatter, "linear", graphScatter, always},
	{Allgather, "linear", graphAllgather, always},
	{Alltoall, "pairwise", graphAlltoall, always},
}

// chooseGraph returns the algorithm for a call that was prepared.
func (t *Team) chooseGraph(a *Args) *graphAlgorithm {
	n := 0
	if !a.Irregular {
		n = a.size()
	}
	for i := range graphAlgorithms {
		if l := &graphAlgorithms[i]; l.kind == a.Kind && l.suits(t, n) {
			return l
		}
	}
	panic("coll: the table of graphs has no line for " + a.Kind.String())
}
