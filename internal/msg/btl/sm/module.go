package sm

import (
	"errors"
	"fmt"
	"slices"

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

	mem  *job.Memory
	rank int
	page int

	alloc    *mail.Allocator // the segment, by offset; its lock guards the rest
	own      []*job.Segment  // parts of this rank's own segment
	attached [][]attachment  // by peer
}

// attachment is a piece of a peer's segment that is mapped.
type attachment struct {
	at    uint64
	pages *job.Segment // from the start of the page that at is in, to the last byte
}

func (a attachment) bytes(page int) []byte { return a.pages.Bytes[a.at%uint64(page):] }

// New returns the module of a rank of the job, which was created for BTLSM. The
// Memory stays the caller's, to be closed after the module.
func New(mem *job.Memory, rank int) (*Module, error) {
	r := mem.Root()
	if rank < 0 || rank >= r.Ranks() {
		return nil, fmt.Errorf("sm: open: %w", &fault.RankError{Rank: rank, Size: r.Ranks()})
	}
	if mem.File() == nil || r.SegmentStride() == 0 {
		return nil, errors.New("sm: open: the job's memory has no segments: it was made for another BTL")
	}
	m := &Module{mem: mem, rank: rank, page: r.PageSize(), attached: make([][]attachment, r.Places())}
	m.alloc = mail.NewAllocator("sm", "segment", r, rank, 0, uint64(r.SegmentStride()), "")
	box, err := mail.Open(m, r, rank)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("sm: open: %w", err), m.Close())
	}
	m.Box = box
	return m, nil
}

// Name returns "sm".
func (m *Module) Name() string { return job.BTLSM.String() }

// Direct returns false.
func (m *Module) Direct() bool { return false }

// Alloc implements btl.Module; at is the offset in the rank's segment.
func (m *Module) Alloc(n int) (mem []byte, at uint64, err error) { return m.alloc.Alloc(n, m.open) }

func (m *Module) open(_, start, length, align uint64) ([]byte, error) {
	segment, err := m.mem.MapSegment(m.mem.Root().SegmentOffset(m.rank)+int64(start), int(length), int(align))
	if err != nil {
		return nil, err
	}
	m.own = append(m.own, segment)
	numa.Of(m.mem.Root(), m.rank).Bind(sys.AddrOf(segment.Bytes), len(segment.Bytes)) // peers may touch it first
	m.adviseHuge(segment)
	return segment.Bytes, nil
}

// Attach implements btl.Module. The first call for the same bytes maps them, later
// ones return the same slice.
func (m *Module) Attach(peer int, at uint64, n int) ([]byte, error) {
	return m.alloc.Attach(peer, n, func() ([]byte, error) { return m.view(peer, at, n) })
}

func (m *Module) view(peer int, at uint64, n int) ([]byte, error) {
	r := m.mem.Root()
	if stride := uint64(r.SegmentStride()); at > stride || uint64(n) > stride-at {
		return nil, fmt.Errorf("offset %#x is outside its segment of %d bytes", at, stride)
	}
	for _, a := range m.attached[peer] {
		if bytes := a.bytes(m.page); a.at == at && len(bytes) == n {
			return bytes, nil
		}
	}
	skip := int(at % uint64(m.page))
	offset := r.SegmentOffset(peer) + int64(at) - int64(skip)
	segment, err := m.mem.MapSegment(offset, skip+n, m.page)
	if err != nil {
		return nil, fmt.Errorf("%w (each peer is a mapping: see the limits in pvasrun info)", err)
	}
	m.adviseHuge(segment)
	a := attachment{at, segment}
	m.attached[peer] = append(m.attached[peer], a)
	return a.bytes(m.page), nil
}

// Clear implements btl.Module. The pages leave the file, and so all that have attached them.
func (m *Module) Clear(mem []byte, at uint64) {
	page := uint64(m.page)
	length := (uint64(len(mem)) + page - 1) &^ (page - 1) // Alloc gives whole pages out
	if sys.PunchHole(m.mem.File(), m.mem.Root().SegmentOffset(m.rank)+int64(at), int64(length)) != nil {
		clear(mem)
	}
}

// adviseHuge asks for huge pages if the user did. It is advice: by default the
// kernel has none for shared memory (transparent_hugepage/shmem_enabled).
func (m *Module) adviseHuge(s *job.Segment) {
	if m.mem.Root().HugePages() != "" && len(s.Bytes) >= btl.HugePage {
		_ = sys.Madvise(sys.AddrOf(s.Bytes), uintptr(len(s.Bytes)), sys.MadvHugePage)
	}
}

// Close implements btl.Module: it unmaps all that Alloc and Attach have mapped.
func (m *Module) Close() error {
	if !m.alloc.Close() {
		return nil
	}
	var errs []error
	for _, s := range m.own {
		errs = append(errs, s.Unmap())
	}
	for _, a := range slices.Concat(m.attached...) {
		errs = append(errs, a.pages.Unmap())
	}
	m.own, m.attached = nil, nil
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("sm: close: %w", err)
	}
	return nil
}
