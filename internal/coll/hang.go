package coll

import (
	"cmp"

	"github.com/gopvas/gopvas/internal/job"
)

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
	if t.Outer != 0 {
		return job.Agree(t.Outer, 0, 0)
	}
	return job.Agree(t.Context, t.turn, t.call)
}

// Within returns the context of the team in whose blocking call a call of this one is: itself, or Outer.
func Within(t *Team) uint32 { return cmp.Or(t.Outer, t.Context) }

// explain is what the hang report says of a member that waits for a message of a call.
func (t *Team) explain(w *job.Waiting) {
	if t.called == "" || w.Peer < 0 {
		return // it is not a call of the team
	}
	peer := int(w.Peer)
	t.sayCall(w, job.NeedPeers)
	w.Collective.Miss(peer)
}
