package shm

import (
	"fmt"
	"math/bits"
	"sync/atomic"
	"unsafe"
)

const ringHeaderSize = int(unsafe.Sizeof(ringHeader{}))

// viewRing lays the structures over mem.
func viewRing(mem []byte, slots int) (ring, error) {
	if err := checkSlots(mem, slots); err != nil {
		return ring{}, err
	}
	base := unsafe.Pointer(unsafe.SliceData(mem))
	if uintptr(base)%cacheLine != 0 {
		return ring{}, fmt.Errorf("shm: open ring: address %p is no multiple of %d", base, cacheLine)
	}
	return ring{
		head:   (*ringHeader)(base),
		slots:  unsafe.Slice((*Slot)(unsafe.Add(base, ringHeaderSize)), slots),
		owners: unsafe.Slice((*atomic.Uint64)(unsafe.Add(base, ringHeaderSize+slots*SlotSize)), slots),
		mask:   uint64(slots - 1),
		shift:  uint(bits.TrailingZeros(uint(slots))),
	}, nil
}

// PairAt views the record at the start of mem, which starts at a multiple of eight.
func PairAt(mem []byte) *Pair {
	return (*Pair)(unsafe.Pointer(unsafe.SliceData(mem[:PairSize])))
}
