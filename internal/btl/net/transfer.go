package net

import (
	"fmt"
	"sync/atomic"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/mpi/fault"
)

// sendTransfer is the sender's end of a rendezvous.
//
//	offered --grant--> flying --all pieces acknowledged--> offered ... --last one--> over
//
// The next grant may come before the acknowledgement, and waits for it then.
//
// The engine's lock guards all fields but failed. The goroutine that drives an endpoint sets it
// when a piece is lost.
type sendTransfer struct {
	m       *Module
	number  uint32 // in Module.sends
	turn    uint32 // uses of the number
	peer    *peer
	src     btl.Buffer
	set     *set // that the message belongs to, or nil
	member  int  // in the set
	next    head // the grant that is due, if any
	due     bool
	flying  bool   // bytes of grant are on their way
	grant   head   // the last one
	data    []byte // its bytes
	shift   int    // the unit of its places
	arrived int    // bytes of it that were acknowledged
	pieces  int    // that exist
	part    []byte
	failed  atomic.Pointer[error]
}

func (t *sendTransfer) id() uint64 { return uint64(t.turn)<<32 | uint64(t.number) }

func (m *Module) newSend() *sendTransfer {
	if n := len(m.idle); n > 0 {
		t := m.idle[n-1]
		m.idle = m.idle[:n-1]
		return t
	}
	t := &sendTransfer{m: m, number: uint32(len(m.sends))}
	m.sends = append(m.sends, t)
	return t
}

func (m *Module) freeSend(t *sendTransfer) {
	t.turn++
	t.peer, t.src, t.set, t.data, t.due, t.flying = nil, btl.Buffer{}, nil, nil, false, false
	t.failed.Store(nil)
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
	if t.turn != turn || t.peer != p || t.due || h.from > size || h.length > size-h.from ||
		t.src.Layout != nil && h.length > partSize {
		return // not from a peer of this version
	}
	t.next, t.due = *h, true
	t.advance()
}

// advance ends a grant whose bytes have arrived, and begins the one that is due.
func (t *sendTransfer) advance() (over bool) {
	if t.flying && t.arrived == int(t.grant.length) && t.pieces == 0 {
		t.flying = false
		if t.grant.last {
			return true
		}
	}
	if t.due && !t.flying {
		t.grant, t.due, t.flying, t.arrived = t.next, false, true, 0
		t.start(&t.grant)
	}
	return false
}

// start has the bytes of a grant sent.
func (t *sendTransfer) start(h *head) {
	if h.place == 0 || h.length == 0 {
		t.arrived = int(h.length)
		return
	}
	if t.src.Layout == nil {
		t.data = t.src.Bytes[h.from : h.from+h.length]
	} else {
		t.data = t.m.part(&t.part, int(h.length))
		t.src.Pack(t.data, int(h.from))
	}
	t.shift = unitOf(len(t.data))
	t.m.schedule(t, len(t.data))
}

// Progress implements btl.Transfer. A rank that ends well has all that it has asked for:
// then only the acknowledgement is missing.
func (t *sendTransfer) Progress() (bool, error) {
	m := t.m
	m.sort()
	lost := m.lost(t.peer) // takes in what is left
	done := t.advance()
	if !done {
		done = t.advance() // a grant of nothing is over at once
	}
	if lost && !done {
		m.withdraw(t)
	}
	switch {
	case done, lost && t.flying && t.grant.last && m.root.State(t.peer.rank) == job.StateFinal:
		m.freeSend(t)
		return true, nil
	case lost:
		err := fmt.Errorf("net: transfer: %w", &fault.LostError{Rank: t.peer.rank})
		m.freeSend(t)
		return true, err
	}
	if err := t.failed.Load(); err != nil && !m.several() && !m.root.Gone(t.peer.rank) {
		m.fail(m.unreachable(t.peer, *err)) // Sleep ends all
	}
	return false, nil
}

// lost tells whether a peer has gone and nothing that it has sent is left.
func (m *Module) lost(p *peer) bool {
	return p.buried || m.root.Gone(p.rank) && m.drained() && p.buried
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
