package net

import (
	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/suci"
)

// Poll implements btl.Messages.
func (m *Module) Poll(max int, deliver func(*btl.Frame)) (n int) {
	if !m.due() && m.arrivals.empty() {
		return 0
	}
	m.sort()
	if m.arrivals.empty() {
		if m.poll() {
			m.fruitless, m.mask = 0, 0 // more may follow at once
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
		m.crowd.Worked()
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
	for _, d := range m.devices {
		for {
			r, ok := d.endpoint.Next()
			if !ok {
				break
			}
			m.fruitless, m.mask = 0, 0
			m.take(d, &r)
		}
	}
	m.tend()
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
// Poll. Its messages are then some microseconds late. A rank that gives way always looks: a turn of others
// takes longer than a look.
const (
	patience = 256 // looks in vain, before and between the steps
	seldom   = 63
)

// due tells whether this Poll looks at the socket.
func (m *Module) due() bool {
	m.looks++
	if m.looks&m.mask != 0 && !m.crowd.Shares() && !m.fresh.Load() {
		return false
	}
	if m.fruitless++; m.fruitless >= patience && m.mask < seldom {
		m.fruitless, m.mask = 0, m.mask*2+1
	}
	return true
}

// take handles a block.
func (m *Module) take(d *device, r *suci.Received) {
	if r.Place != 0 {
		m.placed(d, r)
		return
	}
	p := m.of(r.From)
	var h head
	if p == nil || p.buried || r.Err != nil || !h.get(r.Data) {
		r.Free()
		return
	}
	d.count(0, len(r.Data))
	m.answered(p, d)
	switch {
	case h.kind == ping:
		r.Free()
	case !m.several():
		m.read(p, &h, *r)
	case m.inOrder(p, r, h.number):
		m.read(p, &h, *r)
		for next, ok := p.next(); ok; next, ok = p.next() {
			h.get(next.Data)
			m.read(p, &h, next)
		}
	}
}

// read handles a message of a peer.
func (m *Module) read(p *peer, h *head, r suci.Received) {
	p.released, p.releasedBytes = newest(p.released, h.released), newest(p.releasedBytes, h.bytes)
	switch h.kind {
	case eager, offer:
		m.arrivals.push(r)
		return
	case grant:
		m.granted(p, h)
	case addresses:
		m.learn(p, r.Data[headSize:])
	}
	r.Free()
}

// present makes the frame of a message that has arrived.
func (m *Module) present(r suci.Received) {
	var h head
	h.get(r.Data) // take has looked
	m.frame = btl.Frame{Header: h.Header}
	m.frame.Source = int32(m.of(r.From).rank) // a peer that take knows
	if h.kind == offer {
		m.frame.Offered, m.frame.Token, m.frame.Place = true, h.id, uint64(bit(h.typed))
		r.Free()
		return
	}
	n := len(r.Data)
	m.frame.Payload = r.Data[headSize:n:n]
	m.frame.Token = m.hold(&r)
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

// hold keeps an eager message until it is released.
func (m *Module) hold(r *suci.Received) (token uint64) {
	if n := len(m.vacant); n > 0 {
		token = m.vacant[n-1]
		m.vacant = m.vacant[:n-1]
		m.held[token] = *r
		return token
	}
	m.held = append(m.held, *r)
	return uint64(len(m.held) - 1)
}

// Release implements btl.Messages.
func (m *Module) Release(f *btl.Frame) {
	m.held[f.Token].Free()
	m.held[f.Token] = suci.Received{}
	m.vacant = append(m.vacant, f.Token)
	m.owe(m.peers[f.Source], int(f.Length))
}

// Senders implements btl.Messages. Unless all is drained it names every rank of other nodes that is
// not buried: a message of any of them may be in a socket, in a queue or incomplete.
func (m *Module) Senders(f func(rank int)) {
	if m.drained() {
		return
	}
	for rank, p := range m.peers {
		if m.root.Node(rank) != m.root.Here() && (p == nil || !p.buried) {
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
			if p != nil && !p.buried && m.root.Gone(p.rank) {
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
		m.bury(p)
	}
	m.gone = count
	return true
}

// Settled is that of btl.Capabilities. See job.Answer for its use.
func (m *Module) Settled() bool {
	came := m.poll()
	m.gather() // which has the rank asked again if there are messages
	if came || !m.arrivals.empty() || m.queued > 0 || len(m.owing) > 0 || m.ailing.Load() > 0 || m.disturbed.Load() ||
		m.failed.Load() != nil {
		return false
	}
	for _, d := range m.devices {
		if len(d.queue)+len(d.flying) > 0 {
			return false
		}
	}
	for _, p := range m.peers {
		if p != nil && !p.buried && !m.heard(p) {
			return false
		}
	}
	return true
}

// heard tells whether the peer has acknowledged all that was sent to it.
func (m *Module) heard(p *peer) bool {
	if m.several() && !m.acknowledged(p) {
		return false
	}
	for i := range p.paths {
		if at := &p.paths[i]; at.handle != nil && at.handle.QueueLength() > 0 {
			return false
		}
	}
	return true
}

// bury forgets a peer that has gone. Blocks that were being received from it come to
// their end now, with an error.
func (m *Module) bury(p *peer) {
	for i := range p.paths {
		at, d := &p.paths[i], m.devices[i]
		if at.handle == nil {
			at.handle = d.endpoint.Peer(p.id)
		}
		m.setState(at, unknown)
		if at.handle != nil {
			d.endpoint.Remove(at.handle)
			at.handle = nil
		}
	}
	p.buried = true
	for number, r := range p.early {
		r.Free()
		delete(p.early, number)
	}
	m.settle(p)
}
