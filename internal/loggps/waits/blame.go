package waits

import (
	"cmp"
	"slices"
	"sort"
)

// A share is how long a rank did something at a place while others waited for it.
type share struct {
	root
	ns float64
}

// root is what a wait goes back to.
type root struct {
	rank     int32
	place    uint32
	activity Activity
	served   bool // another rank than the one that waited, in a call
}

// mostShares bounds what is kept of a wait.
const mostShares = 8

// at names a piece: its rank and its number.
type at struct {
	rank  int32
	index int
}

// blames finds for each wait what it goes back to, the largest share first. A peer that was late had ended all its
// waits by then. So they are taken in the order of their ends.
func (r *Run) blames(cost Cost) (waits []at, shares map[at][]share) {
	for rank, lane := range r.Ranks {
		for i := range lane {
			if p := &lane[i]; p.Waited() > 0 && int(p.Peer) < len(r.Ranks) && p.Peer >= 0 {
				waits = append(waits, at{int32(rank), i})
			}
		}
	}
	slices.SortFunc(waits, func(a, b at) int {
		p, q := r.piece(a), r.piece(b)
		return cmp.Or(cmp.Compare(min(p.Late, p.To), min(q.Late, q.To)), cmp.Compare(q.From, p.From))
	})
	shares = make(map[at][]share, len(waits))
	for _, w := range waits {
		shares[w] = r.blame(w.rank, r.piece(w), shares, cost)
	}
	return waits, shares
}

func (r *Run) piece(a at) *Piece { return &r.Ranks[a.rank][a.index] }

// blame divides a wait of a rank among what its peer did meanwhile.
func (r *Run) blame(rank int32, w *Piece, known map[at][]share, cost Cost) (found []share) {
	until := min(w.Late, w.To)
	add := func(s share) {
		i := slices.IndexFunc(found, func(f share) bool { return f.root == s.root })
		switch {
		case s.ns <= 0:
		case i >= 0:
			found[i].ns += s.ns
		default:
			found = append(found, s)
		}
	}
	lane := r.Ranks[w.Peer]
	first := sort.Search(len(lane), func(i int) bool { return lane[i].To > w.From })
	for i := first; i < len(lane) && lane[i].From < until; i++ {
		p := &lane[i]
		from, to := max(p.From, w.From), min(p.To, until)
		waited := min(p.From+p.Waited(), to) - from
		if inner := known[at{w.Peer, i}]; waited > 0 && inner != nil {
			all := 0.0
			for _, s := range inner {
				all += s.ns
			}
			for _, s := range inner {
				add(share{s.root, s.ns * waited / all})
			}
			from += waited
		}
		on := to - from
		if p.Activity == Calling {
			on = min(on, max(p.From+p.Waited()+cost.alone(w.Peer, p)-from, 0))
		}
		add(share{root{w.Peer, p.Place, p.Activity, p.Activity == Calling && p.Peer != rank}, on})
		add(share{root{w.Peer, p.Place, Delayed, false}, to - from - on})
	}
	if len(found) == 0 { // it has not begun yet, or is through
		add(share{root{w.Peer, w.PeerPlace, Computing, false}, until - w.From})
	}
	slices.SortStableFunc(found, func(a, b share) int { return cmp.Compare(b.ns, a.ns) })
	return slices.Clip(found[:min(len(found), mostShares)])
}
