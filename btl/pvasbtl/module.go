package pvasbtl

import (
	"fmt"
	"math"
	"sync"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/btl/mail"
	"github.com/gopvas/gopvas/internal/sys"
	"github.com/gopvas/gopvas/job"
)

var _ btl.Module = (*Module)(nil)

// Module is the btl.Module of one rank.
type Module struct {
	*mail.Box // the messages; lies in memory that the rest gives out

	root *job.Root
	rank int

	mu     sync.Mutex // guards the rest
	arena  room       // all below next is accessible
	pocket room       // all of it is accessible; for small things, first come first served
	closed bool
}

// room is memory that is given out from its beginning on.
type room struct {
	next, end uint64 // addresses
}

// find returns where the next n bytes at a multiple of align would lie. None of the
// sums can wrap: addresses of a process end far below 2^63.
func (r *room) find(n, align uint64) (start, end uint64, ok bool) {
	start = roundUp(r.next, align)
	end = start + n
	return start, end, end <= r.end
}

// New returns the module of a rank of the job. The error is a *job.RankError
// (wrapped) if the job has no such rank.
func New(root *job.Root, rank int) (*Module, error) {
	if rank < 0 || rank >= root.Ranks() {
		return nil, fmt.Errorf("pvasbtl: open: %w", &job.RankError{Rank: rank, Size: root.Ranks()})
	}
	base, size := root.Arena(rank)
	page := uint64(root.PageSize())
	if size == 0 || base%page != 0 || size%page != 0 || base > math.MaxUint64-size {
		return nil, fmt.Errorf("pvasbtl: open: rank %d has no usable arena (%#x bytes at %#x)", rank, size, base)
	}
	m := &Module{root: root, rank: rank, arena: room{base, base + size}}
	if at, size := root.Pocket(rank); at%page == 0 && at <= math.MaxUint64-size {
		m.pocket = room{at, at + size}
	}
	box, err := mail.Open(m, root, rank)
	if err != nil {
		return nil, fmt.Errorf("pvasbtl: open: %w", err)
	}
	m.Box = box
	return m, nil
}

// Name returns "pvas".
func (m *Module) Name() string { return job.BTLPvas.String() }

// Direct returns true.
func (m *Module) Direct() bool { return true }

// Alloc implements btl.Module; at is the address of the memory.
func (m *Module) Alloc(n int) (mem []byte, at uint64, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.closed:
		return nil, 0, fmt.Errorf("pvasbtl: allocate %d bytes: %w", n, btl.ErrClosed)
	case n < 0:
		return nil, 0, fmt.Errorf("pvasbtl: allocate %d bytes: length is negative", n)
	case n == 0:
		return []byte{}, 0, nil
	}
	page := uint64(m.root.PageSize())
	align := page
	if n >= btl.HugePage {
		align = btl.HugePage
	}
	length := roundUp(uint64(n), page)
	if start, end, ok := m.pocket.find(length, align); ok {
		m.pocket.next = end
		return sys.Bytes(uintptr(start), n), start, nil
	}
	start, end, ok := m.arena.find(length, align)
	if !ok {
		return nil, 0, fmt.Errorf("pvasbtl: allocate %d bytes: %w: %d bytes left in the arena of rank %d; "+
			"use pvasrun --partition-size", n, btl.ErrExhausted, m.arena.end-m.arena.next, m.rank)
	}
	// What was skipped for alignment is opened too: it costs nothing as long as
	// nobody touches it, and the arena stays one mapping.
	if err := sys.Mprotect(uintptr(m.arena.next), uintptr(end-m.arena.next), sys.ProtRead|sys.ProtWrite); err != nil {
		return nil, 0, fmt.Errorf("pvasbtl: allocate %d bytes: %w", n, err)
	}
	m.arena.next = end
	if m.root.HugePages() && align == btl.HugePage {
		// Advice: where the kernel has no huge pages, small ones do.
		_ = sys.Madvise(uintptr(start), uintptr(end-start), sys.MadvHugePage)
	}
	return sys.Bytes(uintptr(start), n), start, nil
}

// Attach implements btl.Module. It makes one system call to make sure that the
// peer's memory is there.
func (m *Module) Attach(peer int, at uint64, n int) ([]byte, error) {
	m.mu.Lock()
	closed := m.closed
	m.mu.Unlock()
	switch {
	case closed:
		return nil, fmt.Errorf("pvasbtl: attach %d bytes of rank %d: %w", n, peer, btl.ErrClosed)
	case peer < 0 || peer >= m.root.Ranks():
		return nil, fmt.Errorf("pvasbtl: attach: %w", &job.RankError{Rank: peer, Size: m.root.Ranks()})
	case n < 0:
		return nil, fmt.Errorf("pvasbtl: attach %d bytes of rank %d: length is negative", n, peer)
	case n == 0:
		return []byte{}, nil
	case at > math.MaxUint64-uint64(n) || !sys.Mapped(uintptr(at), uintptr(n)):
		return nil, fmt.Errorf("pvasbtl: attach %d bytes of rank %d: there is no memory at %#x", n, peer, at)
	}
	return sys.Bytes(uintptr(at), n), nil
}

// Close implements btl.Module. It unmaps nothing: peers may be reading.
func (m *Module) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	return nil
}

func roundUp(n, unit uint64) uint64 { return (n + unit - 1) / unit * unit }
