package mem

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/mpi/fault"
)

var _ btl.Module = (*Module)(nil)

// Module is the btl.Module of one rank.
type Module struct {
	world *World
	rank  int32

	calls int // of message methods; unguarded, see the package comment

	// Guarded by World.mu.
	queue    []*slot
	refused  []int32 // ranks that found the queue full
	offers   int     // underway from here
	tokens   []*slot
	vacant   []uint64 // unused tokens
	counters btl.Counters
	noCredit bool // why the last Send was refused
	memory   map[uint64][]byte
	next     uint64
	closed   bool

	frame  btl.Frame // what deliver is given
	inline []byte
	pollMu sync.Mutex  // holds off a Poll within a Poll
	again  atomic.Bool // the last Poll has stopped at its max
}

// Name returns "mem".
func (m *Module) Name() string { return "mem" }

// Direct returns false.
func (m *Module) Direct() bool { return false }

// EagerLimit implements btl.Module.
func (m *Module) EagerLimit() int { return m.world.opts.EagerLimit }

// Send implements btl.Module.
func (m *Module) Send(peer int, h *btl.Header, payload []byte) (btl.Transfer, bool) {
	return nil, m.SendBuffer(peer, h, btl.Buffer{Bytes: payload})
}

// SendBuffer implements btl.Module.
func (m *Module) SendBuffer(peer int, h *btl.Header, src btl.Buffer) bool {
	m.calls++
	w := m.world
	n := src.Len()
	if n > w.opts.EagerLimit {
		misuse("send of %d bytes is above the eager limit", n)
	}
	w.mu.Lock()
	to := w.modules[peer]
	pair := [2]int32{m.rank, to.rank}
	switch {
	case len(to.queue) >= w.opts.Queue:
		to.refused = append(to.refused, m.rank)
		m.counters.RefusedRing++
		m.noCredit = false
	case w.pairs[pair] >= w.opts.Credit:
		m.counters.RefusedCredit++
		m.noCredit = true
	default:
		w.pairs[pair]++
		m.countSend(n)
		s := m.put(to, h, n, false)
		s.payload = s.payload[:n]
		src.Pack(s.payload, 0)
		w.mu.Unlock()
		w.root.Inbox(peer).Notify()
		return true
	}
	w.mu.Unlock()
	return false
}

// NoCredit implements btl.Messages.
func (m *Module) NoCredit() bool {
	m.world.mu.Lock()
	defer m.world.mu.Unlock()
	return m.noCredit
}

func (m *Module) countSend(n int) {
	if n <= m.world.opts.Inline {
		m.counters.InlineSent++
		m.counters.InlineBytes += uint64(n)
		return
	}
	m.counters.EagerSent++
	m.counters.EagerBytes += uint64(n)
}

// put appends a message to a queue.
func (m *Module) put(to *Module, h *btl.Header, n int, offered bool) *slot {
	s := m.world.newSlot()
	s.from, s.to, s.header, s.offered = m, to, *h, offered
	s.header.Source, s.header.Length = m.rank, uint64(n)
	s.phase, s.late = arriving, m.world.opts.Delay
	to.queue = append(to.queue, s)
	return s
}

// Offer implements btl.Module.
func (m *Module) Offer(peer int, h *btl.Header, src *btl.Buffer) (btl.Transfer, bool) {
	m.calls++
	w := m.world
	w.mu.Lock()
	to := w.modules[peer]
	if len(to.queue) >= w.opts.Queue || m.offers >= w.opts.Offers {
		to.refused = append(to.refused, m.rank)
		w.mu.Unlock()
		return nil, false
	}
	m.offers++
	m.counters.OfferedSent++
	m.counters.OfferedBytes += uint64(src.Len())
	s := m.put(to, h, src.Len(), true)
	s.src, s.copied = *src, 0
	s.sender.over, s.receiver.over = false, true
	w.mu.Unlock()
	w.root.Inbox(peer).Notify()
	return &s.sender, true
}

// Poll implements btl.Module.
func (m *Module) Poll(max int, deliver func(*btl.Frame)) int {
	m.calls++
	if !m.pollMu.TryLock() {
		misuse("Poll within Poll")
	}
	n := 0
	for n < max && m.pollOne(deliver) {
		n++
	}
	m.pollMu.Unlock()
	if n == max {
		m.again.Store(true)
	}
	return n
}

// Senders implements btl.Messages.
func (m *Module) Senders(f func(rank int)) {
	m.calls++
	m.world.mu.Lock()
	defer m.world.mu.Unlock()
	for _, s := range m.queue {
		if s.phase == arriving {
			f(int(s.from.rank))
		}
	}
}

// Stop puts an empty message with this header into the queue, as if its sender had stopped in the middle of
// sending it. Poll hands over neither it nor a later message until resume.
func (m *Module) Stop(from int, h btl.Header) (resume func()) {
	w := m.world
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pairs[[2]int32{int32(from), m.rank}]++
	s := w.modules[from].put(m, &h, 0, false)
	s.payload, s.phase = s.payload[:0], claimed
	return func() {
		w.mu.Lock()
		s.phase = arriving
		w.mu.Unlock()
		w.root.Inbox(int(m.rank)).Notify()
	}
}

func (m *Module) pollOne(deliver func(*btl.Frame)) bool {
	w := m.world
	w.mu.Lock()
	if len(m.queue) == 0 {
		w.mu.Unlock()
		return false
	}
	s := m.queue[0]
	if s.phase == claimed {
		w.mu.Unlock()
		return false
	}
	if s.late > 0 {
		s.late--
		w.mu.Unlock()
		return false
	}
	copy(m.queue, m.queue[1:])
	m.queue = m.queue[:len(m.queue)-1]
	m.counters.Received++
	for _, rank := range m.refused {
		w.root.Inbox(int(rank)).Notify() // there is room
	}
	m.refused = m.refused[:0]
	m.frame = btl.Frame{Header: s.header, Offered: s.offered, Token: m.token(s)}
	if s.offered {
		s.phase = announce
	} else {
		s.phase = here
		m.frame.Payload = s.payload[:len(s.payload):len(s.payload)]
		if len(s.payload) <= w.opts.Inline {
			m.frame.Inline = true
			m.inline = append(m.inline[:0], s.payload...)
			m.frame.Payload = m.inline[:len(m.inline):len(m.inline)]
		}
	}
	w.mu.Unlock()
	deliver(&m.frame)
	poison(m.inline)
	m.frame = btl.Frame{}
	return true
}

// token gives a message that was delivered a number, never 0.
func (m *Module) token(s *slot) uint64 {
	if n := len(m.vacant); n > 0 {
		t := m.vacant[n-1]
		m.vacant = m.vacant[:n-1]
		m.tokens[t-1] = s
		return t
	}
	m.tokens = append(m.tokens, s)
	return uint64(len(m.tokens))
}

// redeem takes a token back, and panics if it was taken already.
func (m *Module) redeem(f *btl.Frame, want phase) *slot {
	if f.Token == 0 || f.Token > uint64(len(m.tokens)) || m.tokens[f.Token-1] == nil {
		misuse("frame from rank %d, tag %d: is not due, or was released or accepted before", f.Source, f.Tag)
	}
	s := m.tokens[f.Token-1]
	if s.phase != want || s.header != f.Header {
		misuse("frame from rank %d, tag %d: released or accepted in the wrong way", f.Source, f.Tag)
	}
	m.tokens[f.Token-1] = nil
	m.vacant = append(m.vacant, f.Token)
	return s
}

// Release implements btl.Module.
func (m *Module) Release(f *btl.Frame) {
	m.calls++
	w := m.world
	w.mu.Lock()
	defer w.mu.Unlock() // also if redeem panics
	s := m.redeem(f, here)
	from := s.from.rank
	w.pairs[[2]int32{from, m.rank}]--
	poison(s.payload)
	w.freeSlot(s)
	w.root.Inbox(int(from)).Notify()
}

// Accept implements btl.Module.
func (m *Module) Accept(f *btl.Frame, dst *btl.Buffer) btl.Transfer {
	m.calls++
	w := m.world
	w.mu.Lock()
	defer w.mu.Unlock()
	s := m.redeem(f, announce)
	s.phase = moving
	s.dst, s.taken = *dst, min(dst.Len(), s.src.Len())
	s.receiver.over = false
	return &s.receiver
}

// Progress implements btl.Transfer.
func (t *transfer) Progress() (bool, error) {
	s := t.slot
	w := s.world
	w.mu.Lock()
	defer w.mu.Unlock()
	if t.over {
		misuse("Progress of a transfer that is over")
	}
	if t == &s.receiver {
		s.to.calls++
		return s.receive(), nil
	}
	from, to := s.from, s.to
	from.calls++
	switch {
	case s.phase == moved:
	case w.root.Gone(int(to.rank)):
		// The slot is lost to the pool: the receiver, or its queue, may know it.
		t.over = true
		from.offers--
		return true, fmt.Errorf("mem: transfer: %w", &fault.LostError{Rank: int(to.rank)})
	default:
		return false, nil
	}
	t.over = true
	from.offers--
	w.freeSlot(s)
	return true, nil
}

// receive copies a piece, and tells whether it was the last one. It goes on as long
// as there is something to do, because the receiver may sleep afterwards: so pieces
// only bound what is done under one call if the next comes from the same loop.
func (s *slot) receive() bool {
	n := min(s.taken-s.copied, s.world.opts.Piece)
	btl.Copy(&s.dst, &s.src, s.copied, n)
	s.copied += n
	if s.copied < s.taken {
		// What can go on without an event must be asked for by one: see Sleep.
		s.world.root.Inbox(int(s.to.rank)).Signal()
		return false
	}
	to, from := s.to, s.from
	to.counters.PipelinedCopied++
	to.counters.PipelinedBytes += uint64(s.taken)
	s.receiver.over = true
	s.phase = moved
	s.world.root.Inbox(int(from.rank)).Notify()
	return true
}

// Sleep implements btl.Module. While a message is in the queue it does not sleep, because
// nobody would end that: the message may be late, or Poll has stopped at its max. In that
// case it asks once more in any way, for what was delivered may want a second step.
func (m *Module) Sleep(ready func() bool, lasting func()) error {
	if ready() {
		return nil
	}
	m.world.mu.Lock()
	m.counters.Sleeps++
	m.world.mu.Unlock()
	if lasting != nil {
		lasting()
	}
	return m.world.root.Inbox(int(m.rank)).Wait(func() bool {
		for !ready() {
			if !m.again.Swap(false) && !m.More() {
				return false
			}
		}
		return true
	})
}

// More tells whether Poll may hand over a message without an event.
func (m *Module) More() bool {
	m.world.mu.Lock()
	defer m.world.mu.Unlock()
	return len(m.queue) > 0 && m.queue[0].phase != claimed
}

// Wake implements btl.Module.
func (m *Module) Wake() { m.world.root.Inbox(int(m.rank)).Notify() }

// Capabilities implements btl.Module.
func (m *Module) Capabilities() btl.Capabilities { return btl.Capabilities{Memory: m, Short: m} }

// Counters implements btl.Module.
func (m *Module) Counters() btl.Counters {
	m.calls++
	m.world.mu.Lock()
	defer m.world.mu.Unlock()
	return m.counters
}
