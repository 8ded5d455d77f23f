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
type at struct{ rank, index int32 }

// blamed has the shares of waits, one behind the other in blocks: there are as many waits as calls, and what grows in
// blocks is never copied.
type blamed struct{ blocks [][]share }

const (
	blockShift = 12
	blockSize  = 1 << blockShift
)

// of returns the shares of a wait; none: it is not known yet.
func (b *blamed) of(p *Piece) []share {
	if p.shares == 0 {
		return nil
	}
	at := p.first % blockSize
	return b.blocks[p.first>>blockShift][at : at+uint32(p.shares)]
}

// put keeps the shares of a wait. There are so many blocks as a number in Piece.first can name: those of waits beyond
// are not known.
func (b *blamed) put(p *Piece, list []share) {
	n := len(b.blocks) - 1
	if n < 0 || len(b.blocks[n])+len(list) > blockSize {
		if n++; n >= 1<<(32-blockShift) {
			return
		}
		b.blocks = append(b.blocks, make([]share, 0, blockSize))
	}
	p.first, p.shares = uint32(n<<blockShift+len(b.blocks[n])), uint8(len(list))
	b.blocks[n] = append(b.blocks[n], list...)
}

// blames finds for each wait what it goes back to, the largest share first. A peer that was late had ended all its
// waits by then. So they are taken in the order of their ends.
func (r *Run) blames(cost Cost) (waits []at, known *blamed) {
	n := 0
	r.eachWait(func(at) { n++ })
	waits, known = make([]at, 0, n), &blamed{}
	r.eachWait(func(w at) { waits = append(waits, w) })
	slices.SortFunc(waits, func(a, b at) int {
		p, q := r.piece(a), r.piece(b)
		return cmp.Or(cmp.Compare(min(p.Late, p.To), min(q.Late, q.To)), cmp.Compare(q.From, p.From))
	})
	for _, w := range waits {
		p := r.piece(w)
		known.put(p, r.blame(w.rank, p, known, cost))
	}
	return waits, known
}

// eachWait calls a function for each wait. What an earlier analysis has found is no longer known.
func (r *Run) eachWait(f func(at)) {
	for rank, lane := range r.Ranks {
		for i := range lane {
			p := &lane[i]
			if p.shares = 0; p.Waited() > 0 && int(p.Peer) < len(r.Ranks) && p.Peer >= 0 {
				f(at{int32(rank), int32(i)})
			}
		}
	}
}

func (r *Run) piece(a at) *Piece { return &r.Ranks[a.rank][a.index] }

// blame divides a wait of a rank among what its peer did meanwhile.
func (r *Run) blame(rank int32, w *Piece, known *blamed, cost Cost) (found []share) {
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
	lane, last := r.Ranks[w.Peer], 0.0
	first := sort.Search(len(lane), func(i int) bool { return lane[i].To > w.From })
	if first > 0 {
		last = lane[first-1].To
	}
	for i := first; i < len(lane) && last < until; i++ {
		p := &lane[i]
		add(share{root{w.Peer, p.Place, Computing, false}, min(p.From, until) - max(last, w.From)})
		last = p.To
		from, to := max(p.From, w.From), min(p.To, until)
		waited := min(p.From+p.Waited(), to) - from
		if inner := known.of(p); waited > 0 && inner != nil {
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
	return found[:min(len(found), mostShares)]
}
