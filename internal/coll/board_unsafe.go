package coll

import (
	"unsafe"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/sys"
)

// The sizes that go into the layout of a board are those of the types.
var (
	_ = [1]struct{}{}[unsafe.Sizeof(plan{})-planSize]
	_ = [1]struct{}{}[unsafe.Sizeof(callRecord{})-recordSize]
	_ = [1]struct{}{}[unsafe.Sizeof(head{})-headSize]
	_ = [1]struct{}{}[unsafe.Sizeof(slot{})-slotSize]
)

// boardSize returns the number of bytes of the team's board, and how many of them, from the
// beginning, have to be zeros at first.
func (t *Team) boardSize() (size, zeros int) {
	size = headSize + t.Size*slotSize
	if t.paged() {
		size += t.Size * 2 * int(unsafe.Sizeof(page{}))
	}
	zeros = size
	if t.slotted() {
		slots := t.Size * t.slotCount()
		zeros += slots * int(unsafe.Sizeof(bcastSlot{}))
		size = zeros
		if n := t.pieceSize(); n > shortSlot {
			size += slots * n
		}
	}
	return size, zeros
}

// boardAt views the team's board in memory of that size, which starts at a cache line.
func (t *Team) boardAt(mem []byte) *board {
	b := &board{
		head:  (*head)(unsafe.Pointer(unsafe.SliceData(mem))),
		slots: unsafe.Slice((*slot)(unsafe.Pointer(&mem[headSize])), t.Size),
	}
	rest := mem[headSize+t.Size*slotSize:]
	if t.paged() {
		b.pages = unsafe.Slice((*[2]page)(unsafe.Pointer(&rest[0])), t.Size)
		rest = rest[t.Size*2*int(unsafe.Sizeof(page{})):]
	}
	if t.slotted() {
		slots := t.Size * t.slotCount()
		b.bcasts = unsafe.Slice((*bcastSlot)(unsafe.Pointer(&rest[0])), slots)
		b.long = rest[slots*int(unsafe.Sizeof(bcastSlot{})):]
	}
	return b
}

// numbersAddress is cad.AddressOf for counts.
func numbersAddress(b []int) uint64 {
	if len(b) == 0 {
		return 0
	}
	return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
}

// refsAddress is cad.AddressOf for references to parts, and refAt reads one of them.
func refsAddress(refs []btl.Ref) uint64 {
	return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(refs))))
}

func refAt(at uint64, i int) *btl.Ref {
	p := uintptr(at) + uintptr(i)*unsafe.Sizeof(btl.Ref{})
	return *(**btl.Ref)(unsafe.Pointer(&p))
}

// bytesAt views n bytes of a member's memory. The slice is not kept.
func bytesAt(at uint64, n int) []byte {
	if n == 0 {
		return nil
	}
	return sys.Bytes(uintptr(at), n)
}

// numberAt reads the i-th of the counts at an address.
func numberAt(at uint64, i int) int {
	p := uintptr(at) + uintptr(i)*unsafe.Sizeof(0)
	return **(**int)(unsafe.Pointer(&p))
}

// block is Buffer.block for a member's layout.
func (l *layout) blockOf(i int) (start, length int) {
	if l.counts == 0 {
		return i * int(l.block), int(l.block)
	}
	return numberAt(l.displs, i) * int(l.unit), numberAt(l.counts, i) * int(l.unit)
}
