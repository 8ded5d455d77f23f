package coll

import (
	"math"

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
