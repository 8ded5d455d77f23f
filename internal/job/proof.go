package job

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
// A rank that waits for any of several receives may name the ranks of which one is enough. They are the sources of all
// its receives, and none of these had met a message when the rank said so. What meets one later is a message of a named
// rank, and to take it in is a move. So between two answers with the same number of moves the list is true, and if no
// named rank can go on the wait does not end. A receive of any source, one that has met its message, another operation
// or too many ranks: then none is named, and any rank can end the wait.
//
// A rank that has called Finalize may begin another session, and a rank that has not called Init may call it. So both
// are live.
func Prove(before, now []View, look uint32) (p Proof) {
	return proof(before, now, func(i int) bool {
		return now[i].still(look) && before[i].still(look-1) && now[i].Answer.Moves == before[i].Answer.Moves
	})
}

// Plausible tells whether the answers to one look may be the first half of a proof: whether they would be a proof if
// the next look found them again.
func Plausible(views []View, look uint32) bool {
	p := proof(views, views, func(i int) bool { return views[i].still(look) })
	return len(p.Ranks) > 0
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

// still tells whether a rank has answered a look, and only other ranks of the job could move it.
func (v *View) still(look uint32) bool {
	return v.Waits && !v.Gone && v.Answer.Look == look && !v.Waiting.Others && !v.Far.any() && len(v.Visitors) == 0
}
