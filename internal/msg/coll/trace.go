package coll

import (
	"math"

	"github.com/gopvas/gopvas/internal/msg/recorder"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/trace"
)

// recordCall records a call, of a job that is traced, that began at a time of pml.Calls.Begin.
func (t *Team) recordCall(a *Args, start uint64, err error) {
	w := recorder.What{
		Bytes: uint64(t.recordedSize(a, err)), Number: uint32(t.turn), Context: t.Context, Tag: int32(t.slot), Peer: -1,
	}
	if a.Kind.rooted() && a.Root >= 0 && a.Root < t.Size {
		w.Peer = int32(t.world(a.Root))
	}
	if err != nil {
		w.Flags = trace.Failed
	}
	t.Engine.Calls().End(trace.Barrier+trace.Kind(a.Kind-Barrier), start, w)
}

// recordedSize is the length that all members agree about, or of an irregular call this member's.
func (t *Team) recordedSize(a *Args, err error) int {
	if !a.Irregular {
		if err == nil {
			return t.size
		}
		return a.size()
	}
	if b := &a.Send; a.Kind == Alltoall && len(b.Counts) > 0 {
		sum := 0
		for _, n := range b.Counts {
			sum += n * b.Unit
		}
		return sum / len(b.Counts)
	}
	return a.size()
}

// recordNeighbors is recordCall for an exchange among neighbours.
func (t *Team) recordNeighbors(x *Exchange, start uint64) {
	if !t.Engine.Calls().Recorded() {
		return
	}
	w := recorder.What{Number: uint32(t.turn), Context: t.Context, Peer: -1}
	for i := range x.Out {
		w.Bytes += uint64(x.Out[i].Data.Len())
	}
	t.Engine.Calls().End(trace.Neighbor, start, w)
}

// AlgorithmNames returns the names of all algorithms, as the recorded calls number them.
func AlgorithmNames() (list []string) {
	for i := range algorithms {
		list = append(list, algorithms[i].kind.String()+"="+algorithms[i].name)
	}
	return list
}

// Calls says how often an operation was done by an algorithm.
type Calls struct {
	Operation string // as a Choice names it, or "graph": one that the program has built
	Algorithm string // empty for those
	Calls     uint64 // a persistent operation counts with each start
}

// CallsOf returns what the ranks of a job have called so far, added up, in the order of
// the tables of algorithms. It is for whoever watches the job, and must have been built
// with the same tables. Exchanges among neighbours are not counted.
func CallsOf(root *job.Root) (list []Calls) {
	var sum [job.CallSlots]uint64
	for rank := range root.Ranks() {
		for slot, n := range root.Calls(rank) {
			sum[slot] += n
		}
	}
	add := func(operation, algorithm string, slot int) {
		if n := sum[slot]; n > 0 {
			list = append(list, Calls{operation, algorithm, n})
		}
	}
	for _, l := range algorithms {
		add(l.kind.String(), l.name, l.slot)
	}
	for _, l := range algorithms {
		if l.nonblocking() {
			add(graphName(l.kind), l.name, l.graphSlot)
		}
	}
	add("graph", "", programSlot)
	return list
}

// What the hang report says of calls.

// sayCall says which call it is that this member waits in.
func (t *Team) sayCall(w *job.Waiting, need job.Need) {
	w.Op = job.OpCollective
	w.Collective = job.Collective{Name: t.called, Number: t.turn, Agreed: t.agreement(), Need: need}
	if t.Name != nil {
		w.Collective.Communicator = t.Name()
	}
}

// agreement is what members have to agree about in the call of the program that is underway.
func (t *Team) agreement() job.Agreed {
	if t.whole != nil {
		t = t.whole
	}
	in := Within(t)
	if t.Outer == (job.Agreed{}) {
		in.Turn, in.Signature = in.Turn|t.turn&math.MaxUint32, t.call
	}
	return in
}

// Within says in which team a blocking call is, for job.Prove: the next one there begins behind it.
func Within(t *Team) job.Agreed {
	if t.Outer != (job.Agreed{}) {
		return t.Outer
	}
	return job.Agree(t.Context, 0, 0)
}

// explain is what the hang report says of a member that waits for a message of a call.
func (t *Team) explain(w *job.Waiting) {
	if t.called == "" || w.Peer < 0 {
		return // it is not a call of the team
	}
	peer := int(w.Peer)
	t.sayCall(w, job.NeedPeers)
	w.Collective.Miss(peer)
}
