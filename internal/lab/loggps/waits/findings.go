package waits

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// A Finding is time that ranks have lost for one reason.
type Finding struct {
	Cause     Cause
	Roots     []int  // ranks to blame, in order; none for messages
	RootPlace uint32 // of the first one
	RootDoes  Activity
	Ranks     []int  // that have lost time, in order
	Place     uint32 // where they have lost most
	Lost      float64
	Calls     int
	Messages  int
	Bytes     int64
	Times     float64 // Contention: how many times as long as alone messages took
}

// Cost is what a message takes alone, in nanoseconds.
type Cost func(src, dst int, bytes int64) float64

const (
	most    = 0.6 // the share of one rank from which on it stands for all
	uneven  = 1.2 // a rank that computes so many times as long as the mean is named
	crowded = 1.5 // a message that takes so many times as long as alone has waited for others
)

// key is the reason of a finding.
type key struct {
	cause Cause
	root  root
	place uint32 // of what no rank is to blame for
}

// loss is a finding that grows.
type loss struct {
	Finding
	ranks, roots map[int32]bool
	places       map[uint32]float64
	peers        map[int32]float64
	peerPlaces   map[int32]uint32 // where these have the other ends of messages
	late, alone  float64          // what messages took that were late, and would have taken at most
	beside       int              // how many of them were on their way beside others
}

type losses map[key]*loss

func (all losses) at(k key) *loss {
	l := all[k]
	if l == nil {
		l = &loss{Finding: Finding{Cause: k.cause, RootPlace: k.root.place, RootDoes: k.root.activity},
			ranks: map[int32]bool{}, roots: map[int32]bool{}, places: map[uint32]float64{}, peers: map[int32]float64{},
			peerPlaces: map[int32]uint32{}}
		all[k] = l
	}
	return l
}

func (l *loss) add(rank int32, p *Piece, ns float64) {
	l.ranks[rank] = true
	l.places[p.Place] += ns
	l.Lost += ns
	l.Calls++
	if l.Messages += int(p.Messages); p.Messages > 0 || p.Activity == File {
		l.Bytes += p.Bytes
	}
}

// wait divides a wait of a rank into delays, messages of the peer and the rank, and what others have done.
func (all losses) wait(rank int32, p *Piece, shares []share) {
	if p.Cause == Elsewhere {
		l := all.at(key{cause: Elsewhere, root: root{rank: p.Peer}})
		l.add(rank, p, p.Waited())
		l.roots[p.Peer] = true
		return
	}
	sum, rest, by := 0.0, 0.0, map[int32]float64{}
	for _, s := range shares {
		sum += s.ns
	}
	var top *share
	for i := range shares {
		s := &shares[i]
		ns := p.Waited() * s.ns / sum
		switch {
		case s.activity == Off:
			all.at(key{cause: Delay}).add(rank, p, ns)
		case s.activity == Delayed:
			all.at(key{cause: Contention, place: s.place}).add(rank, p, ns)
		case s.activity == Calling && !s.served:
			all.at(key{cause: Transfer, place: s.place}).Lost += ns
		default:
			if top == nil {
				top = s
			}
			rest += ns
			by[s.rank] += ns
		}
	}
	if top == nil {
		return
	}
	k := key{cause: p.Cause, root: top.root}
	switch {
	case by[top.rank] < most*rest:
		k = key{cause: SerialChain, root: root{place: top.place}}
		top = nil
	case top.activity == File:
		k.cause = SlowFile
	case top.activity == Calling:
		k.cause = HotRank
	}
	l := all.at(k)
	l.add(rank, p, rest)
	for r := range by {
		if top == nil || top.rank == r {
			l.roots[r] = true
		}
	}
}

// moved adds what a rank has moved in a call, a call on a file, or that it had no CPU.
func (all losses) moved(r *Run, cost Cost, rank int32, p *Piece) {
	ns := p.To - p.From - p.Waited()
	switch p.Activity {
	case Off:
		all.at(key{cause: Delay}).add(rank, p, ns)
	case File:
		l := all.at(key{cause: SlowFile, root: root{rank: rank, place: p.Place, activity: File}})
		l.add(rank, p, ns)
		l.roots[rank] = true
	case Calling:
		alone := min(cost.alone(rank, p), ns)
		k := key{cause: Transfer, place: p.Place}
		l := all.at(k)
		l.add(rank, p, alone)
		l.peers[p.Peer] += alone
		if p.PeerPlace != 0 {
			l.peerPlaces[p.Peer] = p.PeerPlace
		}
		if alone == ns {
			return
		}
		k.cause = Contention
		l = all.at(k)
		l.add(rank, p, ns-alone)
		l.alone += alone
		l.late += ns
		if p.Cause != LateMember && r.othersMove(rank, p) {
			l.beside++
		}
	}
}

// alone is the longest that a call takes whose messages are alone on their way, without the wait for its peer.
func (c Cost) alone(rank int32, p *Piece) float64 {
	n := max(p.Messages, 1) // a call that does not block moves no more than its message
	if c == nil || p.Messages == 0 && p.Bytes == 0 {
		return math.Inf(1)
	}
	return crowded * float64(n) * c(int(max(p.Peer, 0)), int(rank), p.Bytes/int64(n))
}

// othersMove tells whether other ranks move messages while two do.
func (r *Run) othersMove(rank int32, p *Piece) bool {
	from := p.From + p.Waited()
	if p.Peer == rank {
		return false
	}
	for other, lane := range r.Ranks {
		if int32(other) == rank || int32(other) == p.Peer {
			continue
		}
		first, _ := slices.BinarySearchFunc(lane, from, func(q Piece, at float64) int { return cmp.Compare(q.To, at) })
		for _, q := range lane[first:] {
			if q.From >= p.To {
				break
			}
			if q.Activity == Calling && q.Messages > 0 && q.From+q.Waited() < p.To && q.To > from {
				return true
			}
		}
	}
	return false
}

// imbalance adds what ranks would have to compute more to be as slow as the slowest.
func (all losses) imbalance(r *Run, ranks []Times) {
	top, mean, n := 0, 0.0, float64(active(ranks))
	for rank, t := range ranks {
		mean += t.Computed / n
		if t.Computed > ranks[top].Computed {
			top = rank
		}
	}
	if !(ranks[top].Computed > uneven*mean) { // there is no mean of no ranks
		return
	}
	more := map[uint32]float64{} // by place: than the mean of all
	for rank, lane := range r.Ranks {
		last := 0.0
		for i := range lane {
			p := &lane[i]
			computed := p.From - last
			if last = p.To; p.Activity == Computing {
				computed += p.To - p.From
			}
			if computed == 0 {
				continue
			}
			if more[p.Place] -= computed / n; rank == top {
				more[p.Place] += computed
			}
		}
	}
	places := slices.Sorted(maps.Keys(more))
	l := all.at(key{cause: Imbalance,
		root: root{place: slices.MaxFunc(places, func(a, b uint32) int { return cmp.Compare(more[a], more[b]) })}})
	l.roots[int32(top)] = true
	for rank, t := range ranks {
		if less := ranks[top].Computed - t.Computed; less > 0 && t.Total() > 0 {
			l.ranks[int32(rank)] = true
			l.Lost += less
		}
	}
}

// name gives the messages of each place their cause. If only few are slow beside others, that is no contention.
func (all losses) name(r *Run, cost Cost) {
	for k, l := range all { // those of a hot rank leave their place
		if k.cause == Contention && (r.Shared || 2*l.beside < all[key{cause: Transfer, place: k.place}].Calls) {
			delay := all.at(key{cause: Delay})
			delay.Lost += l.Lost
			maps.Copy(delay.ranks, l.ranks)
			for place, ns := range l.places {
				delay.places[place] += ns
			}
			delete(all, k)
		}
	}
	for k, l := range all {
		if k.cause != Transfer {
			continue
		}
		if peer, hot := l.name(r, cost); hot {
			all.join(key{cause: HotRank, root: root{peer, cmp.Or(l.peerPlaces[peer], k.place), Calling, true}}, l)
			delete(all, k)
		}
	}
}

// join adds what was lost to a reason that ranks have waited for, too, or have not.
func (all losses) join(k key, l *loss) {
	to := all.at(k)
	to.roots[k.root.rank] = true
	maps.Copy(to.ranks, l.ranks)
	for place, ns := range l.places {
		to.places[place] += ns
	}
	to.Lost += l.Lost
	to.Calls += l.Calls
	to.Messages += l.Messages
	to.Bytes += l.Bytes
}

// name finds the cause of the messages of a place, or the rank that nearly all of them go to.
func (l *loss) name(r *Run, cost Cost) (peer int32, hot bool) {
	for peer, ns := range l.peers {
		if peer >= 0 && ns > most*l.Lost && len(r.Ranks) > 2 && len(l.ranks) > 1 {
			return peer, true
		}
	}
	other := min(1, len(r.Ranks)-1)
	if n := int64(l.Messages); n > 0 && cost != nil && cost(0, other, 0) >= cost(0, other, l.Bytes/n)/2 {
		l.Cause = SmallMessages
	}
	return 0, false
}

// A Wait is what ranks have waited for at one place.
type Wait struct {
	Place     uint32
	Cause     Cause
	Peer      int
	PeerPlace uint32
	Root      int // whom it goes back to, for the most part
	RootPlace uint32
	RootDoes  Activity
	Count     int
	Waited    float64
}

// Report is what a run has lost: the most expensive first.
type Report struct {
	Findings []Finding
	Waits    []Wait
	Ranks    []Times
}

// Analyze finds what a run has lost. Without a cost it knows no contention and no small messages.
func Analyze(r *Run, cost Cost) *Report {
	report := &Report{Ranks: r.Times()}
	all, rows := losses{}, map[Wait]Wait{}
	waits, known := r.blames(cost)
	for _, w := range waits {
		p := r.piece(w)
		s := known.of(p)
		if s == nil {
			continue
		}
		all.wait(w.rank, p, s)
		k := Wait{Place: p.Place, Cause: p.Cause, Peer: int(p.Peer), PeerPlace: p.PeerPlace,
			Root: int(s[0].rank), RootPlace: s[0].place, RootDoes: s[0].activity}
		row := rows[k]
		row.Count++
		row.Waited += p.Waited()
		rows[k] = row
	}
	for k, row := range rows {
		k.Count, k.Waited = row.Count, row.Waited
		report.Waits = append(report.Waits, k)
	}
	slices.SortFunc(report.Waits, func(a, b Wait) int {
		return cmp.Or(cmp.Compare(b.Waited, a.Waited), cmp.Compare(a.Place, b.Place), cmp.Compare(a.Peer, b.Peer),
			cmp.Compare(a.PeerPlace, b.PeerPlace), cmp.Compare(a.Root, b.Root), cmp.Compare(a.RootPlace, b.RootPlace),
			cmp.Compare(a.RootDoes, b.RootDoes), cmp.Compare(a.Cause, b.Cause))
	})
	for rank, lane := range r.Ranks {
		for i := range lane {
			all.moved(r, cost, int32(rank), &lane[i])
		}
	}
	all.imbalance(r, report.Ranks)
	all.name(r, cost)
	for _, l := range all {
		report.Findings = append(report.Findings, l.finding())
	}
	slices.SortFunc(report.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(b.Lost, a.Lost), cmp.Compare(a.Cause, b.Cause), cmp.Compare(a.Place, b.Place),
			slices.Compare(a.Roots, b.Roots), cmp.Compare(a.RootPlace, b.RootPlace))
	})
	return report
}

func (l *loss) finding() Finding {
	f := l.Finding
	if l.alone > 0 {
		f.Times = crowded * l.late / l.alone
	}
	for rank := range l.ranks {
		f.Ranks = append(f.Ranks, int(rank))
	}
	for rank := range l.roots {
		f.Roots = append(f.Roots, int(rank))
	}
	slices.Sort(f.Ranks)
	slices.Sort(f.Roots)
	places := slices.Sorted(maps.Keys(l.places))
	if len(places) > 0 {
		f.Place = slices.MaxFunc(places, func(a, b uint32) int { return cmp.Compare(l.places[a], l.places[b]) })
	}
	return f
}
