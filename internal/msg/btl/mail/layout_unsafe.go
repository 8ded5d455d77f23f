package mail

import (
	"unsafe"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/shm"
)

const (
	descriptorSize = int(unsafe.Sizeof(descriptor{}))
	chunkBytes     = descriptors * descriptorSize
)

// messageOf views the body of a slot as a message.
func messageOf(s *shm.Slot) *message { return (*message)(unsafe.Pointer(&s.Body)) }

// setHeader writes the header field by field, since h has just been written so: a copy of
// all at once would have to wait until the stores are through.
func (m *message) setHeader(h *btl.Header, rank, length int) {
	m.Source, m.Tag, m.Context, m.Flags = int32(rank), h.Tag, h.Context, h.Flags
	m.Length, m.Cookie = uint64(length), h.Cookie
}

// offer views the inline bytes as an offer.
func (m *message) offer() *offer { return (*offer)(unsafe.Pointer(&m.inline)) }

// eager views the inline bytes as the place of an eager message.
func (m *message) eager() *eager { return (*eager)(unsafe.Pointer(&m.inline)) }

// descriptorAt views the descriptor at the start of mem.
func descriptorAt(mem []byte) *descriptor {
	return (*descriptor)(unsafe.Pointer(unsafe.SliceData(mem[:descriptorSize])))
}
