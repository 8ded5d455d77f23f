package mail

import (
	"unsafe"

	"github.com/gopvas/gopvas/shm"
)

const (
	descriptorSize = int(unsafe.Sizeof(descriptor{}))
	chunkBytes     = descriptors * descriptorSize
)

// messageOf views the body of a slot as a message.
func messageOf(s *shm.Slot) *message { return (*message)(unsafe.Pointer(&s.Body)) }

// offer views the inline bytes as an offer.
func (m *message) offer() *offer { return (*offer)(unsafe.Pointer(&m.inline)) }

// descriptorAt views the descriptor at the start of mem.
func descriptorAt(mem []byte) *descriptor {
	return (*descriptor)(unsafe.Pointer(unsafe.SliceData(mem[:descriptorSize])))
}
