package job

import "slices"

// A Proof names ranks that can never go on.
type Proof struct {
	Ranks []int
	Cycle []int // of these: each waits for the next, and the last for the first; nil: none is known
	All   bool  // Ranks are all ranks of the job that have not ended
	Begun bool  // they wait in one operation that does not block, which all have begun
	Freed []int // ranks that some of them wait for, and that have freed the communicator
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
// all else. A call that makes a communicator, a window or a file is one such operation, with all its steps. A rank that
// waits in Finalize for all others makes no other call, since MPI forbids that. So it is still for all communicators.
//
// Or it may wait in an operation that does not block. Its other goroutines have no part in that: it is begun. So ranks
// that wait in one operation, each for others of them, do not go on. They have begun it behind different calls.
//
// A rank that waits for any of several receives may name the ranks of which one is enough. They are the sources of all
// its receives, and none of these had met a message when the rank said so. What meets one later is a message of a named
// rank, and to take it in is a move. So between two answers with the same number of moves the list is true, and if no
// named rank can go on the wait does not end. A receive of any source, one that has met its message, another operation
// or too many ranks: then none is named, and any rank can end the wait.
//
// A rank that has freed a communicator makes no blocking call there. If it had done so before another rank has answered
// the second look, all that it has done there before had come. So it ends no wait there, whatever else it does.
//
// A rank that has called Finalize may begin another session, and a rank that has not called Init may call it. So both
// are live.
func Prove(before, now []View, look uint32) Proof {
	added := max(0, len(now)-len(before)) // ranks, since the first look: they have answered the second one at most
	before = append(slices.Clip(before), make([]View, added)...)
	return proofs(before, now, func(i int, in part) bool {
		return now[i].still(look, in) && before[i].still(look-1, in) && now[i].Answer.Moves == before[i].Answer.Moves
	})
}

// Plausible tells whether the answers to one look may be the first half of a proof: whether they would be a proof if
// the next look found them again.
func Plausible(views []View, look uint32) bool {
	p := proofs(views, views, func(i int, in part) bool { return views[i].still(look, in) })
	return len(p.Ranks) > 0
}

// part is what a rank has one part in, in which it waits: the operations of a communicator, or one of them that does
// not block. The zero part is the whole job.
type part struct {
	context uint32
	begun   bool   // it is one operation
	number  uint64 // of that
}

// proofs returns the first proof that there is: of the job, or of a part.
func proofs(before, now []View, still func(i int, in part) bool) Proof {
	p := proof(before, now, func(i int) bool { return still(i, part{}) })
	var tried []part
	for i := range now {
		in := now[i].part()
		if len(p.Ranks) > 0 || in == (part{}) || !now[i].Waiting.Threads || slices.Contains(tried, in) {
			continue
		}
		tried = append(tried, in)
		bound := func(i int) bool { return now[i].boundTo(in) && still(i, in) }
		if !in.begun {
			p = proof(before, now, bound)
			p.All = false
		} else if ranks := stuck(now, bound); len(ranks) > 0 {
			p = Proof{Ranks: ranks, Begun: true}
		}
	}
	return p
}

// stuck returns the ranks that wait in one operation that does not block, each for some of them. It is given which wait
// there. It looks at what the ranks have said, not at View.For: that takes those that have begun the operation off.
func stuck(now []View, waits func(i int) bool) (ranks []int) {
	there := make([]bool, len(now))
	for i := range now {
		if there[i] = waits(i); there[i] {
			ranks = append(ranks, i)
		}
	}
	elsewhere := func(rank int) bool { return rank >= len(there) || !there[rank] }
	for n := -1; n != len(ranks); {
		n = len(ranks)
		ranks = slices.DeleteFunc(ranks, func(i int) bool {
			c := &now[i].Waiting.Collective
			there[i] = c.Missing > 0 && c.Missing <= namedRanks && !slices.ContainsFunc(c.Ranks(), elsewhere)
			return !there[i]
		})
	}
	return ranks
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
	views := slices.Clone(now)
	for i := range views {
		views[i].never = before[i].freed
	}
	p.Ranks, p.Cycle = deadlocked(views, live)
	if all {
		p.All, p.Ranks = true, left
	}
	for _, i := range p.Ranks {
		p.Freed = append(p.Freed, views[i].never...)
	}
	slices.Sort(p.Freed)
	p.Freed = slices.Compact(p.Freed)
	return p
}

// still tells whether a rank has answered a look, and only other ranks of the job could move it; given a part to which
// it is bound, for that part.
func (v *View) still(look uint32, in part) bool {
	unseen := v.Waiting.Others && !(v.Waiting.Threads && in != part{} && v.boundTo(in))
	return v.Waits && !v.Gone && v.Answer.Look == look && !unseen && !v.Far.any() && len(v.Visitors) == 0
}

// boundTo tells whether all that a waiting rank does in a part is the call in which it waits.
func (v *View) boundTo(in part) bool {
	return v.part() == in || !in.begun && v.Waiting.Op == OpCollective && v.Waiting.Collective.Name == Ending
}

// part returns what the rank has one part in; the zero part: nothing.
func (v *View) part() (in part) {
	c := &v.Waiting.Collective
	switch {
	case !v.Waits || v.Waiting.Op != OpCollective:
	case c.Need == NeedPeers || c.Need == NeedAny || c.Need == NeedAll:
		in.context = uint32(c.Agreed.Turn >> 32)
	case c.Call != 0: // else its number is not known, or not of the context alone
		in = part{v.Waiting.Context, true, c.Number}
	}
	return in
}
