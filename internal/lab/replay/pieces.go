package replay

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/gopvas/gopvas/internal/lab/loggps/waits"
	"github.com/gopvas/gopvas/trace"
)

// mostLimit is the longest message that an eager limit can have.
const mostLimit = 64 << 10

// Pieces returns what ranks have done since all of them were through Init, until Finalize. Times begin there.
// Piece.Call is the kind of a call.
func Pieces(t *trace.Trace) *waits.Run {
	d := &doer{groups: findGroups(t), begun: groups{}, zero: Zero(t), locks: map[lock][]hold{},
		places: noPlaces(), run: &waits.Run{}}
	d.run.Shared = crowded(t)
	for rank := range t.Ranks {
		r := t.Rank(rank)
		d.ends(rank, r)
		d.holds(rank, r)
	}
	for _, list := range d.locks {
		slices.SortFunc(list, func(a, b hold) int { return cmp.Compare(a.start, b.start) })
	}
	for rank := range t.Ranks {
		d.run.Ranks = append(d.run.Ranks, d.lane(rank, t.Rank(rank)))
	}
	d.run.Places = d.names
	return d.run
}

// Zero is when all ranks were through Init.
func Zero(t *trace.Trace) (zero int64) {
	for rank := range t.Ranks {
		for e := range t.Events(rank) {
			if e.Kind == trace.Init {
				zero = max(zero, e.End)
				break
			}
		}
	}
	return zero
}

// end is one end of a message: when its call began, and where. The zero value is one that is not known.
type end struct {
	began int64
	place uint32
	known bool
}

// doer makes the pieces of a run.
type doer struct {
	groups         groups // by the number of the call
	begun          groups // calls that do not block, by how many such calls came before
	zero           int64
	sent, received byMessage[end]
	locks          map[lock][]hold
	run            *waits.Run // which stays, when the doer and its trace go
	requests                  // of the rank whose lane is made
	places
}

// requests are those of a rank, by number.
type requests struct {
	messages map[uint32]*trace.Event
	calls    map[uint32]groupKey // collective ones
}

// requestsOf are the requests of a rank.
func requestsOf(rank int, events []trace.Event) requests {
	q, calls := requests{map[uint32]*trace.Event{}, map[uint32]groupKey{}}, map[uint32]uint32{}
	for i := range events {
		e := &events[i]
		_, sends := e.Sends(rank)
		_, receives := e.Receives(rank)
		switch {
		case e.Kind == trace.Begin:
			q.calls[e.Request] = groupKey{e.Context, calls[e.Context]}
			calls[e.Context]++
		case (sends || receives) && e.Request != 0 && e.Flags&trace.Inside == 0:
			q.messages[e.Request] = e
		}
	}
	return q
}

// ends finds when the calls began that belong to the ends of the messages of a rank.
func (d *doer) ends(rank int, r *trace.Rank) {
	calls, began := map[uint32]uint32{}, map[uint32]end{}
	for i := range r.Events {
		switch e := &r.Events[i]; e.Kind {
		case trace.Isend, trace.Irecv, trace.Start:
			began[e.Request] = end{e.Start, d.place(r, e), true}
		case trace.Begin:
			d.begun.add(groupKey{e.Context, calls[e.Context]}, rank, e)
			calls[e.Context]++
		}
	}
	var inside []trace.Message
	for i := range r.Events {
		e := &r.Events[i]
		if e.Kind.Collective() {
			for _, m := range inside {
				if e.Kind == trace.Neighbor {
					*d.sent.at(m) = end{e.Start, d.place(r, e), true}
				}
			}
			inside = nil
		}
		m, sends := e.Sends(rank)
		if sends && e.Flags&trace.Inside != 0 {
			inside = append(inside, m)
		}
		if e.Message == 0 || e.Flags&trace.Inside != 0 {
			continue
		}
		this := end{e.Start, 0, true}
		if by, ok := began[e.Request]; ok && !e.Kind.Call() {
			this = by
		} else if e.Kind.Call() {
			this.place = d.place(r, e)
		}
		if sends {
			*d.sent.at(m) = this
		} else if m, ok := e.Receives(rank); ok {
			*d.received.at(m) = this
		}
	}
}

// lane is the pieces of a rank.
func (d *doer) lane(rank int, r *trace.Rank) (lane []waits.Piece) {
	clock, now, last := newClock(r.Events), d.zero, int64(0)
	belongs, calls := belongingsOf(r.Events), r.Calls()
	d.requests = requestsOf(rank, r.Events)
	lane = make([]waits.Piece, 0, len(calls))
	for _, e := range calls {
		place, from := d.place(r, e), now
		if e.Start > now {
			on := min(max(clock.computed(now, e.Start), 0), e.Start-now)
			if now = e.Start; on < e.Start-from {
				lane, from = append(lane, d.piece(from+on, e.Start, place, waits.Off)), now
			}
		} else {
			clock.computed(last, e.Start)
		}
		last = max(last, e.End)
		if e.Kind == trace.Finalize || e.Kind == trace.Init || e.End <= now { // or within the call before
			if now > from {
				lane = append(lane, d.piece(from, now, place, waits.Computing))
			}
			if e.Kind == trace.Finalize {
				break
			}
			continue
		}
		p := d.piece(now, e.End, place, waits.Calling)
		p.Call, p.Bytes = uint8(e.Kind), int64(e.Bytes)
		switch {
		case e.Kind.File():
			p.Activity = waits.File
		case e.Kind.Outside():
			if p.Peer = e.Peer; p.Peer >= 0 {
				p.Messages = 1
			}
		}
		d.needs(&p, rank, e, belongs.taken[e], belongs.messages[e])
		for _, part := range belongs.parts[e] {
			d.needs(&p, rank, part, nil, nil)
		}
		lane, now = append(lane, p), e.End
	}
	return slices.Clone(lane) // without what is left of its capacity
}

func (d *doer) piece(from, to int64, place uint32, a waits.Activity) waits.Piece {
	return waits.Piece{From: float64(from - d.zero), To: float64(to - d.zero), Place: place, Peer: trace.Any,
		Activity: a}
}

// belongings are what belongs to calls: requests that they have taken, messages that they are made of or have found.
type belongings struct {
	taken    map[*trace.Event][]uint32
	messages map[*trace.Event][]*trace.Event
	parts    map[*trace.Event][]*trace.Event // calls that a call on a window is made of
}

func belongingsOf(events []trace.Event) belongings {
	b := belongings{map[*trace.Event][]uint32{}, map[*trace.Event][]*trace.Event{}, map[*trace.Event][]*trace.Event{}}
	var requests []uint32
	var inside, probes, calls []*trace.Event
	for i := range events {
		e := &events[i]
		if e.Kind.Epoch() {
			n := len(calls)
			for n > 0 && calls[n-1].Start >= e.Start {
				n--
			}
			b.parts[e], calls = slices.Clone(calls[n:]), calls[:n]
		} else if e.Kind.Collective() || e.Kind == trace.Send || e.Kind == trace.Recv {
			calls = append(calls, e)
		}
		switch {
		case e.Kind == trace.Taken:
			requests = append(requests, e.Request)
		case takes[e.Kind]:
			b.taken[e], requests = requests, nil
		case e.Kind.Collective():
			if e.Kind == trace.Neighbor {
				b.messages[e] = inside
			}
			inside = nil
		case e.Kind == trace.Probe:
			probes = append(probes, e)
		case e.Kind == trace.Received && e.Flags&trace.Inside != 0:
			inside = append(inside, e)
		case e.Kind == trace.Received || e.Kind == trace.Recv:
			probes = slices.DeleteFunc(probes, func(p *trace.Event) bool {
				found := p.Peer == e.Peer && p.Tag == e.Tag && p.Context == e.Context
				if found {
					b.messages[p] = append(b.messages[p], e)
				}
				return found
			})
		}
	}
	return b
}

// needs says what a call has waited for last, and what it has moved.
func (d *doer) needs(p *waits.Piece, rank int, e *trace.Event, taken []uint32, messages []*trace.Event) {
	switch {
	case e.Kind == trace.WinLock:
		d.held(p, rank, e)
	case e.Kind == trace.Send || e.Kind == trace.Recv:
		d.message(p, rank, e)
	case e.Kind.Collective() && e.Kind != trace.Neighbor:
		d.member(p, rank, e.Kind, d.groups[groupKey{e.Context, e.Request}])
	}
	for _, m := range messages {
		d.message(p, rank, m)
	}
	if e.Kind == trace.Wait || e.Kind == trace.Test {
		taken = append(taken, e.Request)
	}
	for i, request := range taken {
		if slices.Contains(taken[:i], request) {
			continue
		}
		if m, ok := d.messages[request]; ok {
			d.message(p, rank, m)
		} else if k, ok := d.calls[request]; ok {
			d.member(p, rank, trace.Barrier, d.begun[k])
		}
	}
}

// message adds a message that a call waits for.
func (d *doer) message(p *waits.Piece, rank int, e *trace.Event) {
	if p.Messages == 0 {
		p.Bytes = 0
	}
	p.Messages++
	p.Bytes += int64(e.Bytes)
	other, cause := end{}, waits.LateSender
	if m, ok := e.Receives(rank); ok {
		other = d.sent.get(m)
	} else if m, ok := e.Sends(rank); ok && e.Protocol() == trace.Rendezvous {
		other, cause = d.received.get(m), waits.LateReceiver
		if e.Bytes <= mostLimit && e.Flags&trace.Synchronous == 0 {
			cause = waits.Rendezvous
		}
	}
	if p.Peer < 0 {
		p.Peer = e.Peer
	}
	switch _, receives := e.Receives(rank); {
	case other.known:
		d.late(p, other.began, e.Peer, other.place, cause)
	case receives || cause != waits.LateSender:
		d.late(p, e.End, e.Peer, 0, waits.Elsewhere)
	}
}

// late notes that a peer was not there before a time, if no other one came later.
func (d *doer) late(p *waits.Piece, came int64, peer int32, place uint32, cause waits.Cause) {
	if at := float64(came - d.zero); p.Cause == waits.None || at > p.Late {
		p.Late, p.Peer, p.PeerPlace, p.Cause = at, peer, place, cause
	}
}

// member adds a collective call that a rank waits in.
func (d *doer) member(p *waits.Piece, rank int, k trace.Kind, call *group) {
	p.Cause = waits.LateMember
	if call == nil {
		return
	}
	p.Messages = int32(2 * bits.Len(uint(len(call.ranks))))
	switch k {
	case trace.Gather, trace.Scatter, trace.Allgather, trace.Alltoall, trace.ReduceScatter:
		p.Messages += int32(len(call.ranks))
	}
	p.Bytes *= int64(p.Messages)
	for i, other := range call.ranks {
		if other != rank && needs(k, rank, other, int(call.root)) {
			d.late(p, call.came[i], int32(other), p.Place, waits.LateMember)
		}
	}
	if (k == trace.Gather || k == trace.Scatter) && p.Waited() == 0 {
		p.Peer = call.root
	}
}

// lock is that of a rank's part of a window.
type lock struct {
	context uint32
	target  int32
}

// hold is the unlock that ends it.
type hold struct {
	start, end int64
	rank       int32
	place      uint32
}

// holds finds the unlocks of a rank.
func (d *doer) holds(rank int, r *trace.Rank) {
	for i := range r.Events {
		if e := &r.Events[i]; e.Kind == trace.WinUnlock {
			k := lock{e.Context, e.Peer}
			d.locks[k] = append(d.locks[k], hold{e.Start, e.End, int32(rank), d.place(r, e)})
		}
	}
}

// held notes which rank had a lock last that a rank has waited for.
func (d *doer) held(p *waits.Piece, rank int, e *trace.Event) {
	list := d.locks[lock{e.Context, e.Peer}]
	n, _ := slices.BinarySearchFunc(list, e.End, func(h hold, at int64) int { return cmp.Compare(h.start, at) })
	for n--; n >= 0 && list[n].end > e.Start; n-- {
		if h := list[n]; h.rank != int32(rank) {
			d.late(p, h.end, h.rank, h.place, waits.Lock)
			return
		}
	}
}
