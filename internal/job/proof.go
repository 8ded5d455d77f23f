package job

import "slices"

// A Proof names ranks that can never go on.
type Proof struct {
	Ranks []int
	Cycle []int // of these: each waits for the next, and the last for the first; nil: none is known
	All   bool  // Ranks are all ranks of the job that have not ended
}

// Prove returns what two looks prove, look-1 and look; see Answer. before and now are the views after each of them.
// The proof has no rank if nothing is proved.
//
// A rank is still if it has answered both looks with the same number of moves, and only ranks of this job could move
// it. So it has no other goroutine or thread, and waits for no rank of another job: what that does is not known here.
// Only a rank that is not still can move a still rank. So there are two proofs:
//
//   - All ranks are still, but for those whose processes have ended. Then no rank is left that could move another,
//     whatever the ranks wait for.
//   - Else all ranks that are not still are taken for live, and Deadlocked finds still ranks that no live rank can
//     move.
//
// A rank may have other goroutines or threads and wait in a collective operation that blocks. Its part of the
// operations of that communicator is then this call alone, whatever the others do: the next one begins behind it. So
// ranks that wait in operations of one communicator, each for others of them, do not go on either. They have met in
// different calls, as they do if goroutines race. For this proof a rank is still for that communicator, and live for
// all else. A rank that waits in Finalize for all others makes no other call, since MPI forbids that. So it is still
// for all communicators.
//
// A rank that waits for any of several receives may name the ranks of which one is enough. They are the sources of all
// its receives, and none of these had met a message when the rank said so. What meets one later is a message of a named
// rank, and to take it in is a move. So between two answers with the same number of moves the list is true, and if no
// named rank can go on the wait does not end. A receive of any source, one that has met its message, another operation
// or too many ranks: then none is named, and any rank can end the wait.
//
// A rank that has called Finalize may begin another session, and a rank that has not called Init may call it. So both
// are live.
func Prove(before, now []View, look uint32) Proof {
	return proofs(before, now, func(i int, communicator uint64) bool {
		return now[i].still(look, communicator) && before[i].still(look-1, communicator) &&
			now[i].Answer.Moves == before[i].Answer.Moves
	})
}

// Plausible tells whether the answers to one look may be the first half of a proof: whether they would be a proof if
// the next look found them again.
func Plausible(views []View, look uint32) bool {
	p := proofs(views, views, func(i int, communicator uint64) bool { return views[i].still(look, communicator) })
	return len(p.Ranks) > 0
}

// proofs returns the first proof that there is: of the job, or of one communicator.
func proofs(before, now []View, still func(i int, communicator uint64) bool) Proof {
	p := proof(before, now, func(i int) bool { return still(i, 0) })
	var tried []uint64
	for i := range now {
		c := now[i].blocksOn()
		if len(p.Ranks) > 0 || c == 0 || !now[i].Waiting.Threads || slices.Contains(tried, c) {
			continue
		}
		tried = append(tried, c)
		p = proof(before, now, func(i int) bool { return now[i].boundTo(c) && still(i, c) })
		p.All = false
	}
	return p
}

// proof is Prove, given which ranks are still. A rank whose process ended after the second look was asked is live: the
// others may not have been told of its end before they answered.
func proof(before, now []View, still func(i int) bool) (p Proof) {
	live, all := make([]bool, len(now)), true
	var left []int
	for i := range now {
		switch {
		case still(i):
			left = append(left, i)
		case !now[i].Gone || !before[i].Gone:
			all = false
			fallthrough
		default:
			live[i] = true
		}
	}
	if len(left) == 0 {
		return p
	}
	p.Ranks, p.Cycle = deadlocked(now, live)
	if all {
		p.All, p.Ranks = true, left
	}
	return p
}

// still tells whether a rank has answered a look, and only other ranks of the job could move it. With a communicator
// it may also be another goroutine or thread of a rank that waits in a collective operation there.
func (v *View) still(look uint32, communicator uint64) bool {
	unseen := v.Waiting.Others && !(v.Waiting.Threads && communicator != 0 && v.boundTo(communicator))
	return v.Waits && !v.Gone && v.Answer.Look == look && !unseen && !v.Far.any() && len(v.Visitors) == 0
}

// boundTo tells whether the part of a waiting rank in the operations of a communicator is the call in which it waits.
func (v *View) boundTo(communicator uint64) bool {
	return v.blocksOn() == communicator || v.Waiting.Op == OpCollective && v.Waiting.Collective.Name == Ending
}

// blocksOn returns the context of the communicator in whose collective operation, which blocks, the rank waits; 0: in
// none.
func (v *View) blocksOn() uint64 {
	c := &v.Waiting.Collective
	if v.Waits && v.Waiting.Op == OpCollective && (c.Need == NeedPeers || c.Need == NeedAny || c.Need == NeedAll) {
		return c.Agreed.Turn >> 32
	}
	return 0
}
