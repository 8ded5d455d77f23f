package net

import (
	"fmt"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/btl/net/devices"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/mpi/fault"
)

// sendTransfer is the sender's end of a rendezvous.
//
//	offered --grant--> flying --all pieces acknowledged--> offered ... --last one--> over
//
// The next grant may come before the acknowledgement, and waits for it then.
//
// The engine's lock guards it.
type sendTransfer struct {
	m      *Module
	number uint32 // in Module.sends
	turn   uint32 // uses of the number
	peer   *peer
	src    btl.Buffer
	next   head // the grant that is due, if any
	due    bool
	flying bool // bytes of grant are on their way
	grant  head // the last one
	cargo  devices.Cargo
	part   []byte
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
	t.peer, t.src, t.due, t.flying = nil, btl.Buffer{}, false, false
	t.cargo.Clear()
	m.parts.give(&t.part)
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
	if t.flying && t.cargo.Arrived() {
		t.flying = false
		if t.grant.last {
			return true
		}
	}
	if t.due && !t.flying {
		t.grant, t.due, t.flying = t.next, false, true
		t.start(&t.grant)
	}
	return false
}

// start has the bytes of a grant sent.
func (t *sendTransfer) start(h *head) {
	var data []byte
	switch {
	case h.place == 0: // no bytes are wanted
	case t.src.Layout == nil:
		data = t.src.Bytes[h.from : h.from+h.length]
	default:
		data = t.m.parts.take(&t.part, int(h.length))
		t.src.Pack(data, int(h.from))
	}
	t.m.devices.Ship(&t.cargo, data, h.place, t.src.Layout == nil)
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
		m.devices.Withdraw(&t.cargo)
	}
	switch {
	case done, lost && t.flying && t.grant.last && m.root.State(t.peer.Rank()) == job.StateFinal:
		m.freeSend(t)
		return true, nil
	case lost:
		err := fmt.Errorf("net: transfer: %w", &fault.LostError{Rank: t.peer.Rank()})
		m.freeSend(t)
		return true, err
	}
	if err := t.cargo.Failed(); err != nil && !m.devices.Several() && !m.root.Gone(t.peer.Rank()) {
		m.devices.Fail(&t.peer.Peer, err) // Sleep ends all
	}
	return false, nil
}

// lost tells whether a peer has gone and nothing that it has sent is left.
func (m *Module) lost(p *peer) bool {
	return p.Buried() || m.root.Gone(p.Rank()) && m.drained() && p.Buried()
}

// parts is memory for parts of messages, each of partSize.
type parts [][]byte

// take returns memory, which give takes back.
func (l *parts) take(p *[]byte, n int) []byte {
	if *p == nil {
		if k := len(*l); k > 0 {
			*p, *l = (*l)[k-1], (*l)[:k-1]
		} else {
			*p = make([]byte, partSize)
		}
	}
	return (*p)[:n]
}

func (l *parts) give(p *[]byte) {
	if *p != nil {
		*l = append(*l, *p)
		*p = nil
	}
}
