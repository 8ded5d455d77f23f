package job

// A Proof says that ranks can never go on.
type Proof struct {
	Ranks []int
	Cycle []int // among them: each waits for the next, and the last for the first; nil: none is known
	All   bool  // these are all ranks of the job that have not ended
}

// Prove returns what two looks prove, look-1 and look; see Look. Both asked the same ranks. The proof has no rank if
// nothing is proved.
//
// The ranks that have answered both looks with as many moves, and have no other goroutine or thread, are still. If all
// ranks are still, but for those whose processes have ended, nobody is left who could move one: whatever they wait for, it
// does not come. Else those of the still ranks are proved that Deadlocked finds if all others are taken for live.
// What these wait for was said in the answers.
//
// A rank that has called Finalize may begin another session, and a rank that has not called Init may do so: both are live.
func Prove(before, now []View, look uint32) (p Proof) {
	return proof(before, now, func(i int) bool {
		return now[i].still(look) && before[i].still(look-1) && now[i].Answer.Moves == before[i].Answer.Moves
	})
}

// Plausible tells whether the answers to one look may be the first half of a proof.
func Plausible(views []View, look uint32) bool {
	p := proof(views, views, func(i int) bool { return views[i].still(look) })
	return len(p.Ranks) > 0
}

// proof is Prove, given which ranks are still. A rank that has ended must have done so before the second look was asked: the
// others were told of it before that.
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

// still tells whether a rank has answered a look, and nothing but others could move it.
func (v *View) still(look uint32) bool {
	return v.Waits && !v.Gone && v.Answer.Look == look && !v.Waiting.Others && !v.Far.any()
}
