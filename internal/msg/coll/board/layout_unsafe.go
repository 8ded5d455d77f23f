package board

import (
	"unsafe"

	"github.com/gopvas/gopvas/btl"
)

// The sizes that go into the layout of a board are those of the types.
var (
	_ = [1]struct{}{}[unsafe.Sizeof(Plan{})-planSize]
	_ = [1]struct{}{}[unsafe.Sizeof(Record{})-recordSize]
	_ = [1]struct{}{}[unsafe.Sizeof(head{})-headSize]
	_ = [1]struct{}{}[unsafe.Sizeof(slot{})-slotSize]
)

const (
	blockSize  = int(unsafe.Sizeof(block{}))
	blocksSize = int(unsafe.Sizeof(blocks{}))
	givenSize  = int(unsafe.Sizeof(given{}))
)

// size returns the number of bytes of the board.
func (b *Board) size() int {
	size := headSize + b.Size*slotSize
	if b.Ringed() {
		size += b.Size * blocksSize
	}
	size += b.Size * (b.slotCount*givenSize + b.pieceCount*b.pieceBytes)
	if b.tree != nil {
		size = upToPage(size) + b.Size*(blocksSize+blockSize)
	}
	return size
}

// view views the board in memory of that size, which starts at a cache line.
func (b *Board) view(mem []byte) {
	b.head = (*head)(unsafe.Pointer(unsafe.SliceData(mem)))
	b.slots = unsafe.Slice((*slot)(unsafe.Pointer(&mem[headSize])), b.Size)
	rest := mem[headSize+b.Size*slotSize:]
	if b.Ringed() {
		b.ring.board, b.ring.members = b, unsafe.Slice((*blocks)(unsafe.Pointer(&rest[0])), b.Size)
		rest = rest[b.Size*blocksSize:]
	}
	n := b.Size * b.slotCount
	b.given, b.pieces = unsafe.Slice((*given)(unsafe.Pointer(&rest[0])), n), rest[n*givenSize:]
	if b.tree != nil {
		rest = mem[b.size()-b.Size*(blocksSize+blockSize):]
		b.tree.up = unsafe.Slice((*blocks)(unsafe.Pointer(&rest[0])), b.Size)
		b.tree.down = unsafe.Slice((*block)(unsafe.Pointer(&rest[b.Size*blocksSize])), b.Size)
	}
}

// upToPage rounds up. The blocks of a tree begin with a page. On most machines each block is a page then, and lies on
// the node of memory of its writer, who touches it first.
func upToPage(size int) int { return (size + blockSize - 1) / blockSize * blockSize }

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

// numberAt reads the i-th of the counts at an address.
func numberAt(at uint64, i int) int {
	p := uintptr(at) + uintptr(i)*unsafe.Sizeof(0)
	return **(**int)(unsafe.Pointer(&p))
}
