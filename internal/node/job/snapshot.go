package job

import (
	"fmt"
	"slices"
)

// A View is the visible state of one rank from outside, at one moment, without its
// help: it works on a rank that is stuck.
type View struct {
	Rank    int
	Pid     int // 0: has not called Init
	State   State
	Gone    bool    // its process has ended
	Waits   bool    // it waits for others, in Waiting
	Waiting Waiting // valid if Waits
	Polls   Polls   // if it waits for nothing
	For     []int   // the ranks it waits for, in a large job the first of them
	Unnamed int     // how many more there are, or were
	Far     FarSends
	Answer  Answer
	// When another rank saw that it waits for them; 0, or earlier than Waiting.Seen: it has seen it itself
	seen int64

	Visitors []string // who those are that it waits for and that are of other jobs
	node     int      // where it is
	Any      bool     // one of For is enough; else it needs all of them

	freed []int // of For, those that have freed the communicator; see NoteFreed
	never []int // those of freed that had done so before the rank has answered the last of two looks
}

// Snapshot looks at every rank. The views are not of exactly the same moment;
// a wait that is the same in two snapshots, Since included, has not changed between.
func (r *Root) Snapshot() []View {
	views := make([]View, r.Ranks())
	for i := range views {
		b := &r.ranks[i]
		v := View{
			Rank: i, node: r.Node(i), Pid: int(b.pid.Load()), State: State(b.state.Load()), Gone: b.gone.Load() != 0,
			Far: r.FarSends(i),
		}
		if v.Waiting, v.Waits = r.Waiting(i); v.Waits {
			v.For, v.Any = r.waitsFor(i, v.Waiting)
		} else {
			v.Polls = r.Polls(i)
		}
		for _, rank := range v.For {
			if who := r.OtherJob(rank); who != "" {
				v.Visitors = append(v.Visitors, fmt.Sprintf("rank %d is %s", rank, who))
			}
		}
		v.Answer = r.Answered(i) // after the record: see Answer
		v.Unnamed = max(0, v.Waiting.Collective.Missing-len(v.For))
		views[i] = v
	}
	meetings(views)
	for i := range views {
		views[i].noteFreed(r)
	}
	return views
}

// waitsFor returns the ranks that a wait needs: one named peer, any of all the
// others, or those that a collective operation names.
func (r *Root) waitsFor(rank int, w Waiting) (ranks []int, any bool) {
	if w.Op == OpCollective {
		return w.Collective.Ranks(), w.Collective.Need == NeedAny
	}
	if w.Op == OpReady {
		return nil, true // no other rank can end it
	}
	if n := w.Collective.Missing; n > 0 && n <= namedRanks {
		return w.Collective.Ranks(), true
	}
	if w.Peer != AnyPeer {
		return []int{int(w.Peer)}, false
	}
	for i := range r.Ranks() {
		if i != rank {
			ranks = append(ranks, i)
		}
	}
	if w.Others && r.JobNumber() > 0 {
		ranks = append(ranks, AnyPeer) // of another job
	}
	return ranks, true
}

// Deadlocked returns the ranks that can never go on, and a cycle among them: each
// rank of it waits for the next and the last for the first. Both are empty where
// none is proved.
//
// A rank can go on if one of these holds:
//
//   - it does not wait, or its process has ended (others get an error for it);
//   - it sends a message that its peer receives;
//   - what it has sent to other nodes is under way;
//   - it needs any of several ranks, and one of these can go on;
//   - it needs several ranks, and all of these can go on.
//
// The other ranks wait for ever, unless another
// goroutine of one of these ranks acts: only one wait of a rank is seen, and Waiting.Others
// says whether there may be such. A rank that
// has called Finalize sends nothing any more.
func Deadlocked(views []View) (ranks, cycle []int) {
	return deadlocked(views, make([]bool, len(views)))
}

// deadlocked is Deadlocked, given ranks that can go on.
func deadlocked(views []View, live []bool) (ranks, cycle []int) {
	for changed := true; changed; {
		changed = false
		for i, v := range views {
			if !live[i] && v.canGoOn(views, live) {
				live[i], changed = true, true
			}
		}
	}
	for i, v := range views {
		if !live[i] && v.Waits {
			ranks = append(ranks, i)
		}
	}
	return ranks, findCycle(views, live, ranks)
}

// canGoOn tells whether the rank can, given the ranks that are known to.
func (v *View) canGoOn(views []View, live []bool) bool {
	switch {
	case v.Gone:
		return true
	case !v.Waits:
		return v.State != StateFinal
	case v.transfers(views), v.Far.any():
		return true
	case v.Waiting.Op == OpCollective && !v.certain():
		return true
	}
	for _, r := range v.For {
		if r < 0 || r >= len(live) {
			return true // not a record we understand
		}
		comes := (live[r] || v.mayHaveBegun(&views[r])) && !slices.Contains(v.never, r)
		if comes == v.Any {
			return v.Any
		}
	}
	return !v.Any
}

// transfers tells whether the rank waits to send a message that its peer waits to receive. Then
// the message is on its way, which may take long. So it may be if the peer waits for any of several
// operations that it does not name: one of them may be the receive.
func (v *View) transfers(views []View) bool {
	send := &v.Waiting
	if send.Op != OpSend || send.Peer < 0 || int(send.Peer) >= len(views) || !views[send.Peer].Waits {
		return false
	}
	recv := &views[send.Peer].Waiting
	if recv.Op == OpWait && recv.Collective.Missing == 0 {
		return true
	}
	return (recv.Op == OpRecv || recv.Op == OpWait) && recv.Context == send.Context &&
		(recv.Tag == send.Tag || recv.Tag < 0) && (recv.Peer == AnyPeer || int(recv.Peer) == v.Rank)
}

// certain tells whether a collective operation needs the ranks that it names, all or, if
// one of them is enough, no others.
func (v *View) certain() bool {
	return v.Waiting.Collective.Need != NeedSome && !(v.Any && (v.Unnamed > 0 || len(v.For) == 0))
}

// findCycle follows the waits of dead ranks until it meets one again.
func findCycle(views []View, live []bool, dead []int) []int {
	for _, start := range dead {
		at := map[int]int{}
		var path []int
		for r := start; ; {
			if first, seen := at[r]; seen {
				return path[first:]
			}
			at[r] = len(path)
			path = append(path, r)
			next := -1
			for _, p := range views[r].For {
				if p >= 0 && p < len(views) && !live[p] && views[p].Waits {
					next = p
					break
				}
			}
			if next < 0 {
				break // it waits for a rank that has finalized
			}
			r = next
		}
	}
	return nil
}
