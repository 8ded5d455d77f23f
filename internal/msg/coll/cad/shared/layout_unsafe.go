package shared

import (
	"sync/atomic"
	"unsafe"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/node/sys"
)

const (
	nodeSize   = int(unsafe.Sizeof(node{}))
	poolSize   = int(unsafe.Sizeof(pool{}))
	recordSize = int(unsafe.Sizeof(record{}))
)

// pointer turns an address in shared memory into a pointer. The memory is on no heap
// that a collector moves or frees, or its owner keeps it.
func pointer(at uint64) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&at)) }

func nodeAt(at uint64) *node     { return (*node)(pointer(at)) }
func graphAt(at uint64) *graph   { return (*graph)(pointer(at)) }
func poolAt(at uint64) *pool     { return (*pool)(pointer(at)) }
func recordAt(at uint64) *record { return (*record)(pointer(at)) }

func (g *graph) address() uint64 { return uint64(uintptr(unsafe.Pointer(g))) }
func (n *node) address() uint64  { return uint64(uintptr(unsafe.Pointer(n))) }

// word returns a word of aux.
func word(aux uint64, i uint32) *atomic.Uint32 {
	return (*atomic.Uint32)(unsafe.Add(pointer(aux), uintptr(i)*4))
}

// refAddress returns where a Ref is that its owner keeps on the heap, and refAt is the inverse.
func refAddress(r *btl.Ref) uint64 { return uint64(uintptr(unsafe.Pointer(r))) }
func refAt(at uint64) *btl.Ref     { return (*btl.Ref)(pointer(at)) }

// alignedHeap returns n bytes of Go's heap that start at a cache line.
func alignedHeap(n int) []byte {
	mem := make([]byte, n+cacheLine)
	skip := int(-sys.AddrOf(mem) % cacheLine)
	return mem[skip:][:n:n]
}
