package mem

import (
	"fmt"
	"math"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/mpi/fault"
)

// room is what one rank can allocate: little, so that tests get to the end of it.
const room = 64 << 20

// Alloc implements btl.Module.
func (m *Module) Alloc(n int) (mem []byte, at uint64, err error) {
	w := m.world
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case m.closed:
		return nil, 0, fmt.Errorf("mem: allocate %d bytes: %w", n, btl.ErrClosed)
	case n < 0:
		return nil, 0, fmt.Errorf("mem: allocate %d bytes: length is negative", n)
	case n == 0:
		return []byte{}, 0, nil
	case uint64(n) > room-m.next:
		return nil, 0, fmt.Errorf("mem: allocate %d bytes: %w", n, btl.ErrExhausted)
	}
	at = m.next
	m.next += uint64(n)
	m.memory[at] = aligned(n, w.root.PageSize())
	return m.memory[at], at, nil
}

// aligned returns n bytes that start where the contract wants it. Objects on Go's
// heap stay where they are.
func aligned(n, page int) []byte {
	align := uintptr(page)
	if n >= btl.HugePage {
		align = btl.HugePage
	}
	mem := make([]byte, n+int(align))
	start := int(-sys.AddrOf(mem) % align)
	return mem[start:][:n:n]
}

// Attach implements btl.Module.
func (m *Module) Attach(peer int, at uint64, n int) ([]byte, error) {
	w := m.world
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case m.closed:
		return nil, fmt.Errorf("mem: attach %d bytes of rank %d: %w", n, peer, btl.ErrClosed)
	case peer < 0 || peer >= len(w.modules):
		return nil, fmt.Errorf("mem: attach: %w", &fault.RankError{Rank: peer, Size: len(w.modules)})
	case n < 0:
		return nil, fmt.Errorf("mem: attach %d bytes of rank %d: length is negative", n, peer)
	case n == 0:
		return []byte{}, nil
	}
	for start, mem := range w.modules[peer].memory {
		if at >= start && at-start <= uint64(len(mem)) && uint64(n) <= uint64(len(mem))-(at-start) {
			return mem[at-start:][:n:n], nil
		}
	}
	return nil, fmt.Errorf("mem: attach %d bytes of rank %d: there is no memory at %d", n, peer, min(at, math.MaxInt64))
}

// Clear implements btl.Module.
func (m *Module) Clear(mem []byte, _ uint64) { clear(mem) }

// Close implements btl.Module.
func (m *Module) Close() error {
	m.world.mu.Lock()
	defer m.world.mu.Unlock()
	m.closed = true
	return nil
}
