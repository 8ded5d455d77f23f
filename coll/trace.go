package coll

import (
	"github.com/gopvas/gopvas/trace"
	"github.com/gopvas/gopvas/trace/recorder"
)

// recordCall records a call that began at a time of pml.Engine.CallBegins.
func (t *Team) recordCall(a *Args, start uint64, err error) {
	if !t.Engine.Traced() {
		return
	}
	w := recorder.What{
		Bytes: uint64(a.size()), Number: uint32(t.turn), Context: t.Context, Tag: int32(t.slot), Peer: -1,
	}
	if a.Kind.rooted() && a.Root >= 0 && a.Root < t.Size {
		w.Peer = int32(t.world(a.Root))
	}
	if err != nil {
		w.Flags = trace.Failed
	}
	t.Engine.CallEnds(trace.Barrier+trace.Kind(a.Kind-Barrier), start, w)
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
