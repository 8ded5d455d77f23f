package coll

import (
	"github.com/gopvas/gopvas/internal/trace/recorder"
	"github.com/gopvas/gopvas/trace"
)

// recordCall records a call, of a job that is traced, that began at a time of pml.Engine.CallBegins.
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
	t.Engine.CallEnds(trace.Barrier+trace.Kind(a.Kind-Barrier), start, w)
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
	if !t.Engine.Traced() {
		return
	}
	w := recorder.What{Number: uint32(t.turn), Context: t.Context, Peer: -1}
	for i := range x.Out {
		w.Bytes += uint64(x.Out[i].Data.Len())
	}
	t.Engine.CallEnds(trace.Neighbor, start, w)
}

// AlgorithmNames returns the names of all algorithms, as the recorded calls number them.
func AlgorithmNames() (list []string) {
	for i := range algorithms {
		list = append(list, algorithms[i].kind.String()+"="+algorithms[i].name)
	}
	return list
}
