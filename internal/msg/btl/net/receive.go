package net

import (
	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/btl/net/devices"
	"github.com/gopvas/gopvas/suci"
)

// Poll implements btl.Messages.
func (m *Module) Poll(max int, deliver func(*btl.Frame)) (n int) {
	if !m.looks.due(m.shares() || m.fresh.Load()) && m.arrivals.empty() {
		return 0
	}
	m.sort()
	if m.arrivals.empty() {
		if m.poll() {
			m.looks.found() // more may follow at once
		}
		m.sort()
	}
	for ; n < max && !m.arrivals.empty(); n++ {
		m.present(m.arrivals.pop())
		m.counters.Received++
		deliver(&m.frame)
	}
	if len(m.owing) > 0 {
		m.pay()
	}
	if !m.arrivals.empty() {
		m.inbox.Signal() // nobody else will
	}
	return n
}

// poll takes in what has come to the sockets, and sends what is due. It tells whether anything came.
func (m *Module) poll() (came bool) {
	came, moved := m.endpoint.Poll()
	if moved {
		m.waits.Load().Worked()
	}
	return came
}

// sort handles the blocks that the endpoints have taken in. Messages to be delivered become
// arrivals. Then it does what else is due. All that looks at blocks does it here, in Poll or in the Progress of a
// transfer, so news that comes later is told again: see onNews.
func (m *Module) sort() {
	if m.fresh.Load() {
		m.fresh.Store(false) // before the first block is taken
	}
	for device, r, ok := m.devices.Next(); ok; device, r, ok = m.devices.Next() {
		m.looks.found()
		if r.Place != 0 {
			m.placed(device, &r)
		} else {
			m.devices.Take(device, &r)
		}
	}
	m.devices.Tend()
}

// gather is sort after a poll of the sockets outside Poll. The messages that it makes arrivals are for
// the next Poll. A goroutine that sleeps, or is about to, learns of them by the signal only.
func (m *Module) gather() {
	m.sort()
	if !m.arrivals.empty() {
		m.inbox.Signal()
	}
}

// A look at the socket is a system call, and costs as much as ten looks at the queue of the
// node. So a rank that has polled in vain for long looks less often, in the end in each 64th
// Poll. Its messages are then some microseconds late. A rank that shares its CPU always looks: a turn of
// others takes longer than a look.
const (
	patience = 256 // looks in vain, before and between the steps
	seldom   = 63
)

// looks counts looks at the socket.
type looks struct {
	polls, mask uint64
	fruitless   int
}

// due tells whether this Poll looks at the socket. It does if it must.
func (l *looks) due(must bool) bool {
	l.polls++
	if l.polls&l.mask != 0 && !must {
		return false
	}
	if l.fruitless++; l.fruitless >= patience && l.mask < seldom {
		l.fruitless, l.mask = 0, l.mask*2+1
	}
	return true
}

// found notes that something has come.
func (l *looks) found() { l.fruitless, l.mask = 0, 0 }

// read handles a message of a peer.
func (m *Module) read(from *devices.Peer, r suci.Received) {
	var h head
	if !h.get(r.Data) {
		r.Free()
		return
	}
	p := m.peers[from.Rank()]
	p.released, p.releasedBytes = newest(p.released, h.released), newest(p.releasedBytes, h.bytes)
	switch h.kind {
	case eager, offer:
		m.arrivals.push(r)
		return
	case grant:
		m.granted(p, &h)
	}
	r.Free()
}

// present makes the frame of a message that has arrived.
func (m *Module) present(r suci.Received) {
	var h head
	h.get(r.Data) // read has looked
	m.frame = btl.Frame{Header: h.Header}
	m.frame.Source = int32(m.of(r.From).Rank()) // a peer that read knows
	if h.kind == offer {
		m.frame.Offered, m.frame.Token, m.frame.Place = true, h.id, uint64(bit(h.typed))
		r.Free()
		return
	}
	n := len(r.Data)
	m.frame.Payload = r.Data[headSize:n:n]
	m.frame.Token = m.loans.hold(&r)
}

// queue is a queue of blocks. Its zero value is empty.
type queue struct {
	blocks []suci.Received
	head   int
}

func (q *queue) empty() bool { return q.head == len(q.blocks) }

func (q *queue) push(r suci.Received) {
	if q.head > 0 && len(q.blocks) == cap(q.blocks) {
		q.blocks = q.blocks[:copy(q.blocks, q.blocks[q.head:])]
		q.head = 0
	}
	q.blocks = append(q.blocks, r)
}

func (q *queue) pop() suci.Received {
	r := q.blocks[q.head]
	q.head++
	if q.empty() {
		q.blocks, q.head = q.blocks[:0], 0
	}
	return r
}

// newest returns the later of two counts.
func newest(a, b uint32) uint32 {
	if int32(b-a) > 0 {
		return b
	}
	return a
}

// loans are eager messages that were not released, by token.
type loans struct {
	held   []suci.Received
	vacant []uint64 // free tokens
}

// hold keeps an eager message until it is released.
func (l *loans) hold(r *suci.Received) (token uint64) {
	if n := len(l.vacant); n > 0 {
		token = l.vacant[n-1]
		l.vacant = l.vacant[:n-1]
		l.held[token] = *r
		return token
	}
	l.held = append(l.held, *r)
	return uint64(len(l.held) - 1)
}

func (l *loans) release(token uint64) {
	l.held[token].Free()
	l.held[token] = suci.Received{}
	l.vacant = append(l.vacant, token)
}

// Release implements btl.Messages.
func (m *Module) Release(f *btl.Frame) {
	m.loans.release(f.Token)
	m.owe(m.peers[f.Source], int(f.Length))
}

// Senders implements btl.Messages. Unless all is drained it names every rank of other nodes that is
// not buried: a message of any of them may be in a socket, in a queue or incomplete.
func (m *Module) Senders(f func(rank int)) {
	if m.drained() {
		return
	}
	for rank, p := range m.peers {
		if m.root.Node(rank) != m.root.Here() && (p == nil || !p.Buried()) {
			f(rank)
		}
	}
}

// drained takes in what has come, and tells whether Poll has handed over all of it. Then the ranks that
// had gone before the call are buried.
func (m *Module) drained() bool {
	gone, count := m.leaving[:0], m.root.GoneCount()
	if count != m.gone {
		for _, p := range m.peers {
			if p != nil && !p.Buried() && m.root.Gone(p.Rank()) {
				gone = append(gone, p)
			}
		}
	}
	m.leaving = gone
	for behind := m.endpoint.Behind(); m.poll() && behind(); {
		m.sort()
	}
	m.gather()
	if !m.arrivals.empty() {
		return false
	}
	for _, p := range gone {
		m.devices.Bury(&p.Peer)
	}
	m.gone = count
	return true
}

// Settled is that of btl.Capabilities. See job.Answer for its use.
func (m *Module) Settled() bool {
	came := m.poll()
	m.gather() // which has the rank asked again if there are messages
	if came || !m.arrivals.empty() || len(m.owing) > 0 || m.devices.Busy() || m.devices.Failed() != nil {
		return false
	}
	for _, p := range m.peers {
		if p != nil && !p.Buried() && !m.devices.Heard(&p.Peer) {
			return false
		}
	}
	return true
}
