package net

import (
	"encoding/binary"

	"github.com/gopvas/gopvas/btl"
)

// Kinds of messages.
const (
	eager  = iota + 1 // payload follows
	offer             // cookies: id of the sender's transfer
	grant             // id, place, from and length: see head
	credit            // nothing but what was released
)

// headSize is the length of a head in bytes.
const headSize = 48

// head is what every message begins with. All numbers are little endian.
type head struct {
	kind     uint8
	typed    bool   // offer: the sender's buffer has a layout
	released uint32 // messages of the addressee that have been released, modulo 2^32
	bytes    uint32 // the bytes of those, likewise

	btl.Header // eager, offer; Source is not sent

	// offer, grant
	id uint64 // of the sender's transfer

	// grant, in place of the Header
	place  uint32 // of the landing; 0: no bytes are wanted
	last   bool   // no other grant follows
	from   uint64 // of the message
	length uint64
}

// put writes a head.
func (h *head) put(b []byte) {
	le := binary.LittleEndian
	b[0], b[1], b[2], b[3] = h.kind, bit(h.typed), bit(h.last), 0
	le.PutUint32(b[4:], h.released)
	le.PutUint32(b[8:], h.bytes)
	le.PutUint64(b[16:], h.id)
	if h.kind == grant {
		le.PutUint32(b[12:], h.place)
		le.PutUint64(b[24:], h.from)
		le.PutUint64(b[32:], h.length)
		return
	}
	le.PutUint32(b[12:], h.Flags)
	le.PutUint32(b[24:], uint32(h.Tag))
	le.PutUint32(b[28:], h.Context)
	le.PutUint64(b[32:], h.Length)
	le.PutUint64(b[40:], h.Cookie)
}

// get reads a head; ok is false if it is none.
func (h *head) get(b []byte) (ok bool) {
	if len(b) < headSize || b[0] < eager || b[0] > credit {
		return false
	}
	le := binary.LittleEndian
	*h = head{kind: b[0], typed: b[1] != 0, last: b[2] != 0, released: le.Uint32(b[4:]), bytes: le.Uint32(b[8:]),
		id: le.Uint64(b[16:])}
	if h.kind == grant {
		h.place, h.from, h.length = le.Uint32(b[12:]), le.Uint64(b[24:]), le.Uint64(b[32:])
		return true
	}
	h.Flags, h.Tag, h.Context = le.Uint32(b[12:]), int32(le.Uint32(b[24:])), le.Uint32(b[28:])
	h.Length, h.Cookie = le.Uint64(b[32:]), le.Uint64(b[40:])
	return h.kind != eager || h.Length == uint64(len(b)-headSize)
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}
