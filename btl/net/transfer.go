package net

import (
	"fmt"
	"sync/atomic"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/job"
	"github.com/gopvas/gopvas/suci"
)

// sendTransfer is the sender's end of a rendezvous.
//
//	offered --grant--> flying --acknowledged--> offered ... --last one--> over
//
// The next grant may come before the acknowledgement, and waits for it then.
//
// The engine's lock guards all fields but landed and failed. Those the goroutine that drives the
// endpoint writes when the bytes of the last grant have been acknowledged, or never will be.
type sendTransfer struct {
	m      *Module
	number uint32 // in Module.sends
	turn   uint32 // uses of the number
	peer   *peer
	src    btl.Buffer
	next   head // the grant that is due, if any
	due    bool
	flying bool // bytes are on their way
	last   bool // the bytes underway are the last ones
	part   []byte
	landed atomic.Uint32
	failed error // written before landed
	done   func(error)
}

// The states of landed.
const (
	inAir = iota
	arrived
	crashed
)

func (t *sendTransfer) id() uint64 { return uint64(t.turn)<<32 | uint64(t.number) }

func (m *Module) newSend() *sendTransfer {
	if n := len(m.idle); n > 0 {
		t := m.idle[n-1]
		m.idle = m.idle[:n-1]
		return t
	}
	t := &sendTransfer{m: m, number: uint32(len(m.sends))}
	t.done = t.land
	m.sends = append(m.sends, t)
	return t
}

func (m *Module) freeSend(t *sendTransfer) {
	t.turn++
	t.peer, t.src, t.due, t.flying, t.last, t.failed = nil, btl.Buffer{}, false, false, false, nil
	t.landed.Store(inAir)
	m.drop(&t.part)
	m.idle = append(m.idle, t)
}

// granted takes what a receiver has asked for.
func (m *Module) granted(p *peer, h *head) {
	number, turn := uint32(h.id), uint32(h.id>>32)
	if int(number) >= len(m.sends) {
		return
	}
	t := m.sends[number]
	size := uint64(t.src.Len())
	if t.turn != turn || t.peer != p || t.due || h.from > size || h.length > size-h.from || t.src.Layout != nil && h.length > partSize {
		return // not from a peer of this version
	}
	t.next, t.due = *h, true
	t.advance()
}

// advance notes that bytes have landed, and sends those that are due.
func (t *sendTransfer) advance() (over bool) {
	if t.landed.Load() == arrived {
		t.landed.Store(inAir)
		t.flying = false
		if t.last {
			return true
		}
	}
	if t.due && !t.flying {
		t.due, t.flying, t.last = false, true, t.next.last
		t.start(&t.next)
	}
	return false
}

// start sends the bytes of a grant.
func (t *sendTransfer) start(h *head) {
	m := t.m
	if h.place == 0 {
		t.land(nil)
		return
	}
	var data []byte
	if t.src.Layout == nil {
		data = t.src.Bytes[h.from : h.from+h.length]
	} else {
		data = m.part(&t.part, int(h.length))
		t.src.Pack(data, int(h.from))
	}
	if t.peer.handle == nil {
		return // it has gone
	}
	if err := t.peer.handle.Start(suci.Block{Data: data, Priority: bytesLane, Place: h.place}, t.done); err != nil {
		t.land(err)
	}
}

// land is called when the bytes of a grant have been acknowledged, or never will be.
func (t *sendTransfer) land(err error) {
	if err != nil {
		t.failed = err
		t.landed.Store(crashed)
		return
	}
	t.landed.Store(arrived)
}

// Progress implements btl.Transfer. A rank that ends well has all that it has asked for:
// then only the acknowledgement is missing.
func (t *sendTransfer) Progress() (bool, error) {
	m := t.m
	m.sort()
	lost := m.lost(t.peer) // takes in what is left
	done := t.advance()
	if !done {
		done = t.advance() // a grant of nothing lands at once
	}
	switch {
	case done, lost && t.flying && t.last && m.root.State(t.peer.rank) == job.StateFinal:
		m.freeSend(t)
		return true, nil
	case lost:
		err := fmt.Errorf("net: transfer: %w", &job.LostError{Rank: t.peer.rank})
		m.freeSend(t)
		return true, err
	case t.landed.Load() == crashed && !m.root.Gone(t.peer.rank):
		m.fail(m.unreachable(t.peer, t.failed)) // Sleep ends all
	}
	return false, nil
}

// lost tells whether a peer has gone and nothing that it has sent is left.
func (m *Module) lost(p *peer) bool {
	return p.buried || m.root.Gone(p.rank) && m.Drained() && p.buried
}

// recvTransfer is the receiver's end of a rendezvous. The bytes come in parts: one if both
// buffers are in one piece.
type recvTransfer struct {
	m     *Module
	peer  *peer
	id    uint64 // of the sender's transfer
	dst   btl.Buffer
	total int // bytes wanted
	got   int // bytes that are in dst
	size  int // of the part that is due
	typed bool
	due   bool   // the next part was not granted yet
	place uint32 // of the part, 0: none
	part  []byte
	dead  bool // the sender has given it up
}

// Accept implements btl.Messages.
func (m *Module) Accept(f *btl.Frame, dst *btl.Buffer) btl.Transfer {
	var t *recvTransfer
	if n := len(m.pool); n > 0 {
		t = m.pool[n-1]
		m.pool = m.pool[:n-1]
	} else {
		t = &recvTransfer{m: m}
	}
	t.peer, t.id, t.dst = m.peers[f.Source], f.Token, *dst
	t.total = int(min(uint64(dst.Len()), f.Length))
	t.typed = f.Place != 0 || dst.Layout != nil
	t.due = true
	t.ask()
	return t
}

// ask grants the next part; if the queue to the peer is full, Progress tries again.
func (t *recvTransfer) ask() {
	m := t.m
	t.size = t.total - t.got
	if t.typed {
		t.size = min(t.size, partSize)
	}
	h := head{kind: grant, id: t.id, from: uint64(t.got), length: uint64(t.size), last: t.got+t.size == t.total}
	if t.size > 0 {
		h.place = m.newPlace()
	}
	if t.peer.handle == nil || !m.expect(t, h.place) {
		return
	}
	if !m.write(t.peer, &h, 0) {
		m.forget(t.peer, h.place)
		return
	}
	t.place, t.due = h.place, false
}

// newPlace returns a number that no transfer has.
func (m *Module) newPlace() uint32 {
	for {
		if m.lastUsed++; m.lastUsed != 0 && m.places[m.lastUsed] == nil {
			return m.lastUsed
		}
	}
}

// expect has the next part received where it belongs.
func (m *Module) expect(t *recvTransfer, place uint32) bool {
	if place == 0 {
		return true
	}
	buf := t.dst.Bytes
	if t.dst.Layout == nil {
		buf = buf[t.got : t.got+t.size]
	} else {
		buf = m.part(&t.part, t.size)
	}
	if m.endpoint.Expect(t.peer.id, place, buf) != nil {
		return false
	}
	m.places[place] = t
	return true
}

func (m *Module) forget(p *peer, place uint32) {
	if place != 0 {
		m.endpoint.Forget(p.id, place)
		delete(m.places, place)
	}
}

// placed takes a part that is complete, or was given up.
func (m *Module) placed(r *suci.Received) {
	t := m.places[r.Place]
	if t == nil || t.peer.id != r.From {
		r.Free()
		return
	}
	delete(m.places, r.Place)
	t.place = 0
	failed := r.Err != nil || len(r.Data) != t.size
	if !failed && t.dst.Layout != nil {
		t.dst.Unpack(r.Data, t.got)
	}
	r.Free()
	if failed {
		t.dead = true
		return
	}
	t.got += t.size
	m.counters.PipelinedBytes += uint64(t.size)
	if t.got < t.total {
		t.due = true
		t.ask()
	}
}

// Progress implements btl.Transfer.
func (t *recvTransfer) Progress() (bool, error) {
	m := t.m
	m.sort()
	lost := m.lost(t.peer)
	if t.due && !t.dead && !lost {
		t.ask()
	}
	switch {
	case t.got >= t.total && (!t.due || lost):
		m.counters.PipelinedCopied++
		m.freeReceive(t)
		return true, nil
	case !lost:
		return false, nil
	case t.place != 0 && !m.endpoint.Forget(t.peer.id, t.place):
		m.sort()
		return false, nil // a block with an error is about to come, which ends the loan
	}
	err := fmt.Errorf("net: transfer: %w", &job.LostError{Rank: t.peer.rank})
	m.freeReceive(t)
	return true, err
}

func (m *Module) freeReceive(t *recvTransfer) {
	if t.place != 0 {
		delete(m.places, t.place)
	}
	m.drop(&t.part)
	*t = recvTransfer{m: m}
	m.pool = append(m.pool, t)
}

// part returns memory for a part, which drop takes back.
func (m *Module) part(p *[]byte, n int) []byte {
	if *p == nil {
		if k := len(m.parts); k > 0 {
			*p, m.parts = m.parts[k-1], m.parts[:k-1]
		} else {
			*p = make([]byte, partSize)
		}
	}
	return (*p)[:n]
}

func (m *Module) drop(p *[]byte) {
	if *p != nil {
		m.parts = append(m.parts, *p)
		*p = nil
	}
}
