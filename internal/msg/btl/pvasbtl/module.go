package pvasbtl

import (
	"errors"
	"fmt"
	"math"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/btl/mail"
	"github.com/gopvas/gopvas/internal/msg/numa"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/mpi/fault"
)

var _ btl.Module = (*Module)(nil)

// Module is the btl.Module of one rank.
type Module struct {
	*mail.Box // the messages; lies in memory that the rest gives out

	root  *job.Root
	rank  int
	arena *mail.Allocator // by address; what is given out is accessible
	small *mail.Allocator // all of it is accessible; for small things, first come first served
}

// New returns the module of a rank of the job. The error is a *fault.RankError
// (wrapped) if the job has no such rank.
func New(root *job.Root, rank int) (*Module, error) {
	if rank < 0 || rank >= root.Ranks() {
		return nil, fmt.Errorf("pvasbtl: open: %w", &fault.RankError{Rank: rank, Size: root.Ranks()})
	}
	base, size := root.Arena(rank)
	page := uint64(root.PageSize())
	if size == 0 || base%page != 0 || size%page != 0 || base > math.MaxUint64-size {
		return nil, fmt.Errorf("pvasbtl: open: rank %d has no usable arena (%#x bytes at %#x)", rank, size, base)
	}
	if root.Ranks() >= manyRanks {
		mergeReservations()
	}
	m := &Module{root: root, rank: rank}
	m.arena = mail.NewAllocator("pvasbtl", "arena", root, rank, base, base+size, "; use pvasrun --partition-size")
	at, size := root.SmallRegion(rank)
	if at%page != 0 || at > math.MaxUint64-size {
		at, size = 0, 0
	}
	m.small = mail.NewAllocator("pvasbtl", "small region", root, rank, at, at+size, "")
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
	mem, at, err = m.small.Alloc(n, func(_, start, length, _ uint64) ([]byte, error) {
		return bytesAt(start, length), nil
	})
	if errors.Is(err, btl.ErrExhausted) {
		return m.arena.Alloc(n, m.open)
	}
	return mem, at, err
}

// open also opens what was skipped for alignment: it costs nothing as long as nobody
// touches it, and the arena stays one mapping.
func (m *Module) open(from, start, length, align uint64) ([]byte, error) {
	end := start + length
	if err := sys.Mprotect(uintptr(from), uintptr(end-from), sys.ProtRead|sys.ProtWrite); err != nil {
		return nil, err
	}
	if align == btl.HugePage {
		m.root.UseHugePages(uintptr(start), uintptr(length))
	}
	return bytesAt(start, length), nil
}

// Attach implements btl.Module. It makes one system call to make sure that the
// peer's memory is there.
func (m *Module) Attach(peer int, at uint64, n int) ([]byte, error) {
	return m.arena.Attach(peer, n, func() ([]byte, error) {
		if at > math.MaxUint64-uint64(n) || !sys.Mapped(uintptr(at), uintptr(n)) {
			return nil, fmt.Errorf("there is no memory at %#x", at)
		}
		return bytesAt(at, uint64(n)), nil
	})
}

// Clear implements btl.Module. Reserved pages leave with their mapping: who takes the memory into use again asks for
// them by job.Root.UseHugePages, as Alloc does.
func (m *Module) Clear(mem []byte, at uint64) {
	page := uint64(m.root.PageSize())
	length := uintptr((uint64(len(mem)) + page - 1) &^ (page - 1)) // Alloc gives whole pages out
	base, size := m.root.Arena(m.rank)
	err := errSmall
	switch {
	case at < base || at-base >= size:
	case m.root.HugePages() == job.ReservedPages && length >= btl.HugePage:
		if err = sys.Remap(uintptr(at), length); err == nil {
			m.settle(uintptr(at), length)
		}
	default:
		err = sys.Madvise(uintptr(at), length, sys.MadvDontNeed)
	}
	if err != nil {
		clear(mem)
	}
}

// settle gives new pages of the arena what the space host has given its others. Without that it is slower, no more.
func (m *Module) settle(at, length uintptr) {
	_ = sys.Madvise(at, length, sys.MadvDontFork)
	numa.Of(m.root, m.rank).Bind(at, int(length))
}

// errSmall is why Clear cannot give memory of the small region back: it may be of any kind.
var errSmall = errors.New("it is memory of the small region")

// Close implements btl.Module. It unmaps nothing: peers may be reading.
func (m *Module) Close() error {
	m.small.Close()
	m.arena.Close()
	return nil
}
