//go:build race

package shared

import "sync"

// heapOnly: the race detector knows nothing of atomic operations on memory outside the
// Go heap, and so of what nodes order. In its builds ranks in one address space are
// goroutines of one process, which can as well have their nodes where it looks.
const heapOnly = true

var heap struct {
	mu   sync.Mutex
	kept [][]byte
}

// keep makes memory stay when the rank has ended, as that of modules does.
func keep(mem []byte) {
	heap.mu.Lock()
	heap.kept = append(heap.kept, mem)
	heap.mu.Unlock()
}
