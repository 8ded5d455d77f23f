package net

import (
	"fmt"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/mpi/fault"
	"github.com/gopvas/gopvas/suci"
)

// recvTransfer is the receiver's end of a rendezvous. The bytes come in parts: one if both
// buffers are in one piece. Each part has a landing, and comes in pieces.
//
//	due --grant--> landing --all bytes are there--> closing --no piece is underway--> due, or over
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
	place uint32 // the landing of the part, 0: none
	there int    // bytes of the part that have come
	buf   []byte // the landing
	part  []byte
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

// ask grants the next part; if the queue to the peer is full, or there are too many landings,
// Progress tries again.
func (t *recvTransfer) ask() {
	m := t.m
	if !t.peer.Reachable() {
		return
	}
	t.size = t.total - t.got
	if t.typed {
		t.size = min(t.size, partSize)
	}
	h := head{kind: grant, id: t.id, from: uint64(t.got), length: uint64(t.size), last: t.got+t.size == t.total}
	if t.size > 0 {
		t.buf = t.dst.Bytes
		if t.dst.Layout == nil {
			t.buf = t.buf[t.got : t.got+t.size]
		} else {
			t.buf = m.parts.take(&t.part, t.size)
		}
		if h.place = m.landings.Grant(t, t.peer.ID(), t.buf); h.place == 0 {
			return
		}
	}
	if !m.write(t.peer, &h, 0) {
		if h.place != 0 {
			m.landings.Close(h.place) // the sender was not told of it
		}
		return
	}
	t.place, t.due, t.there = h.place, false, 0
}

// placed takes a piece that is complete, or was given up.
func (m *Module) placed(device int, r *suci.Received) {
	if r.Err == suci.ErrPlace {
		r.Free() // of a landing that is over
		return
	}
	n, failed := len(r.Data), r.Err != nil
	t, fresh, ok := m.landings.Ended(device, r.From, r.Place, !failed)
	r.Free()
	if !ok {
		return
	}
	t.there += fresh
	if !failed {
		m.devices.Received(device, n)
		m.counters.PipelinedBytes += uint64(n)
	}
	if _, ok := t.finishPart(); !ok {
		m.inbox.Signal() // Progress sees to it, when all is read that has come
	}
}

// finishPart goes on to the next part when this one is complete: all bytes are there, and the
// landing receives no block any more. It returns false, and a device, if a piece is coming a
// second time. That piece may be whole, but not read yet.
func (t *recvTransfer) finishPart() (device int, ok bool) {
	m := t.m
	if t.place == 0 || t.there < t.size {
		return 0, true
	}
	if device, ok = m.landings.Close(t.place); !ok {
		return device, false
	}
	t.place = 0
	if t.dst.Layout != nil {
		t.dst.Unpack(t.buf, t.got)
	}
	t.got += t.size
	if t.got < t.total {
		t.due = true
		t.ask()
	}
	return 0, true
}

// Progress implements btl.Transfer.
func (t *recvTransfer) Progress() (bool, error) {
	m := t.m
	m.sort()
	lost := m.lost(t.peer)
	if device, ok := t.finishPart(); !ok && !lost {
		// The block ends with an error: placed. By the last path that is up it comes to its end as it is.
		m.devices.TakeDown(&t.peer.Peer, device)
	}
	if t.due && !lost {
		t.ask()
	}
	switch {
	case t.got >= t.total && (!t.due || lost) && t.place == 0:
		m.counters.PipelinedCopied++
		m.freeReceive(t)
		return true, nil
	case !lost:
		return false, nil
	case t.place != 0:
		if _, ok := m.landings.Close(t.place); !ok {
			m.sort()
			return false, nil // a block with an error is about to come, which ends the loan
		}
	}
	err := fmt.Errorf("net: transfer: %w", &fault.LostError{Rank: t.peer.Rank()})
	m.freeReceive(t)
	return true, err
}

func (m *Module) freeReceive(t *recvTransfer) {
	m.parts.give(&t.part)
	*t = recvTransfer{m: m}
	m.pool = append(m.pool, t)
}
