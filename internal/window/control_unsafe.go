package window

import (
	"sync/atomic"
	"unsafe"
)

// place lays the control block out in its memory.
func (k *control) place(memory []byte, ranks, stripes int) {
	at := unsafe.Pointer(unsafe.SliceData(memory))
	k.head = (*head)(at)
	k.records = unsafe.Slice((*record)(unsafe.Add(at, headSize)), ranks)
	k.stripes = unsafe.Slice((*stripe)(unsafe.Add(at, headSize+ranks*recordSize)), stripes)
}

// regionsIn are those of a rank, in memory of so many bytes.
func regionsIn(memory []byte) *regions { return (*regions)(unsafe.Pointer(unsafe.SliceData(memory))) }

// accessesIn are those on so many ranks.
func accessesIn(memory []byte, ranks int) []accesses {
	return unsafe.Slice((*accesses)(unsafe.Pointer(unsafe.SliceData(memory))), ranks)
}

const (
	regionsSize  = int(unsafe.Sizeof(regions{}))
	accessesSize = int(unsafe.Sizeof(accesses{}))
)

// word64 and word32 are words of a window. Their memory is not Go's, or its owner keeps it.
func word64(addr uintptr) *atomic.Uint64 {
	return (*atomic.Uint64)(*(*unsafe.Pointer)(unsafe.Pointer(&addr)))
}

func word32(addr uintptr) *atomic.Uint32 {
	return (*atomic.Uint32)(*(*unsafe.Pointer)(unsafe.Pointer(&addr)))
}
