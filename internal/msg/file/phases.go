package file

import (
	"cmp"
	"errors"
	"slices"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/msg/reach"
)

// Ranks that cannot reach one another's memory, as those on several nodes, move bytes for one another in two phases.
// They go by messages, and then between a window and the file. Each node has a part of what all touch, by how many
// ranks it has. So what neighbours in the file have mostly stays on a node. The ranks of a node take the windows of its
// part by turns. In a round each rank has one window at most.
//
// All ranks know the views of all. So both sides of a message know whether there is one, and how long it is. It is the
// part of a rank's stream that lies in a window of a rank that cannot reach it. A rank begins to send all its parts of
// a round, or to receive them, before it moves its own window. So no two of them wait for one another. A window that
// fails sends and receives its messages all the same.

// share is the windows of a rank: every step-th from next to end.
type share struct{ next, end, step int64 }

// phases are a collective access in rounds.
type phases struct {
	f         *File
	lo, hi    int64 // what all touch
	shares    []share
	rounds    int64
	parties   []party
	mine      *party // nil: this rank has nothing
	requests  []comm.Request
	parts     []part // of the requests
	scattered []byte // what is sent from, or received for, memory that is not in one piece
}

// part is a range of this rank's stream, and the rank that moves it.
type part struct {
	rank     int
	from, to int64
}

// newPhases cuts what all touch into windows, and gives them to ranks.
func (f *File) newPhases(parties []party, offers []offer) *phases {
	ph := &phases{f: f, parties: parties, shares: make([]share, len(offers))}
	ph.lo, ph.hi = touched(offers)
	for i := range parties {
		if p := &parties[i]; p.rank == f.ranks.Rank() {
			ph.mine = p
		} else if !f.reaches(p.rank) {
			p.far = f.ranks
			p.memory = reach.Memory{}
		}
	}
	line := make([]int, len(offers)) // ranks by node
	for rank := range line {
		line[rank] = rank
	}
	node := func(rank int) int { return 0 }
	if f.nodes != nil {
		node = func(rank int) int { return f.nodes[rank] }
	}
	slices.SortStableFunc(line, func(a, b int) int { return cmp.Compare(node(a), node(b)) })
	count, ranks := (ph.hi-ph.origin()+f.mover.window-1)/f.mover.window, int64(len(line))
	for a := 0; a < len(line); {
		b := a + 1
		for b < len(line) && node(line[b]) == node(line[a]) {
			b++
		}
		first, end, step := count*int64(a)/ranks, count*int64(b)/ranks, int64(b-a)
		for i, rank := range line[a:b] {
			ph.shares[rank] = share{first + int64(i), end, step}
		}
		ph.rounds = max(ph.rounds, (end-first+step-1)/step)
		a = b
	}
	return ph
}

// origin is where the first window begins.
func (ph *phases) origin() int64 { return ph.lo - ph.lo%ph.f.mover.window }

// window is the part of the file that a rank moves in a round; lo >= hi: none.
func (ph *phases) window(rank int, round int64) (lo, hi int64) {
	s := ph.shares[rank]
	i := s.next + round*s.step
	if i >= s.end {
		return 0, 0
	}
	lo = ph.origin() + i*ph.f.mover.window
	return max(ph.lo, lo), min(ph.hi, lo+ph.f.mover.window)
}

// run moves all. It goes on after an error, since others wait for its messages.
func (ph *phases) run(write bool) (failed error) {
	f := ph.f
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mover.write = write
	for round := range ph.rounds {
		failed = errors.Join(failed, ph.round(write, round, failed))
	}
	return failed
}

// round moves the windows of one round.
func (ph *phases) round(write bool, round int64, failed error) error {
	f := ph.f
	err := ph.begin(write, round)
	lo, hi := ph.window(f.ranks.Rank(), round)
	if lo < hi {
		for i := range ph.parties {
			ph.parties[i].due = ph.parties[i].far != nil
		}
		if failed == nil && err == nil {
			err = f.mover.domain(ph.parties, lo, hi, false)
		}
		for i := range ph.parties {
			err = errors.Join(err, f.mover.settle(&ph.parties[i], lo, hi))
		}
	}
	return errors.Join(err, ph.end(write))
}

// begin begins to send, or to receive, the parts of this rank that others move.
func (ph *phases) begin(write bool, round int64) (failed error) {
	f, p := ph.f, ph.mine
	ph.requests, ph.parts = ph.requests[:0], ph.parts[:0]
	if p == nil {
		return nil
	}
	total := int64(0)
	for rank := range ph.shares {
		if f.reaches(rank) {
			continue
		}
		if from, to := p.within(ph.window(rank, round)); from < to {
			ph.parts = append(ph.parts, part{rank, from, to})
			total += to - from
		}
	}
	var left []byte
	if p.memory.Layout != nil {
		left = f.mover.buffer(&ph.scattered, total)
	}
	for _, q := range ph.parts {
		memory, whole := p.whole(q.from, q.to)
		if !whole {
			memory, left = left[:q.to-q.from], left[q.to-q.from:]
			if write {
				failed = errors.Join(failed, p.load(memory, q.from))
			}
		}
		var r comm.Request
		var err error
		if write {
			r, err = comm.Isend(f.ranks, comm.Standard, memory, datatype.ElementByte, q.rank, partTag)
		} else {
			r, err = comm.Irecv(f.ranks, memory, datatype.ElementByte, q.rank, partTag)
		}
		failed = errors.Join(failed, err)
		ph.requests = append(ph.requests, r)
	}
	return failed
}

// end waits for the parts of this rank.
func (ph *phases) end(write bool) (failed error) {
	left := ph.scattered
	for i := range ph.requests {
		st, err := ph.requests[i].Wait()
		failed = errors.Join(failed, err)
		if q := ph.parts[i]; ph.mine.memory.Layout != nil {
			if !write && err == nil {
				failed = errors.Join(failed, ph.mine.store(left[:st.Bytes], q.from))
			}
			left = left[q.to-q.from:]
		}
	}
	return failed
}

// exchange sends a part of the stream of a party that cannot be reached, or receives it to be written.
func (p *party) exchange(write bool, bytes []byte) error {
	p.due = false
	if write {
		return comm.Recv(p.far, new(comm.Status), bytes, datatype.ElementByte, p.rank, partTag)
	}
	return comm.Send(p.far, comm.Standard, bytes, datatype.ElementByte, p.rank, partTag)
}

// settle exchanges what a party of a window that has failed still waits for, or of which the file has nothing.
func (m *mover) settle(p *party, lo, hi int64) error {
	from, to := p.within(lo, hi)
	if !p.due || from >= to {
		return nil
	}
	var bytes []byte
	if m.write {
		bytes = m.buffer(&m.stage, to-from)
	}
	return p.exchange(m.write, bytes)
}
