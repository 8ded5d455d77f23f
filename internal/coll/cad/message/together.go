package message

import (
	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/coll/cad"
)

// together tells the engine which messages the graph begins with.
func (r *run) together() {
	if !r.t.Messages.Plans() {
		return
	}
	r.members = r.members[:0]
	start := &r.actions[cad.Start]
	for _, e := range r.edges[start.first:][:start.count] {
		if a := &r.actions[e.To]; a.kind == cad.Send && a.before == 1 {
			r.members = append(r.members, btl.Member{
				Peer: int(a.peer), Tag: int32(tagOf(r.number, a.port)), Context: r.channel.Context, Bytes: a.src.size,
			})
		}
	}
	r.t.Messages.Inside().Together(r.members)
}
