package numa

import (
	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// Memory is that of a rank which is bound to one of several NUMA nodes. The nil Memory is that of any other rank.
type Memory struct {
	job  Job
	node int
	page uintptr // bytes, a power of 2
}

// Job is what a Memory asks of the job.
type Job interface {
	Domain(rank int) job.Domain
	PageSize() int
}

// Of returns the memory of a rank.
func Of(j Job, rank int) *Memory {
	node := j.Domain(rank).NUMA
	if node == job.Unknown {
		return nil
	}
	return &Memory{j, node, uintptr(j.PageSize())}
}

// leastSettled is the least message, in bytes, for which it pays to look whether pages are missing.
const leastSettled = 16 << 10

// Settle touches the pages that are missing of the first n bytes of a message. Only the owner of the buffer writes to
// it meanwhile. A short message is left alone.
func (m *Memory) Settle(b *btl.Buffer, n int) {
	switch {
	case m == nil || n < leastSettled:
	case b.Layout == nil:
		m.touch(sys.AddrOf(b.Bytes), uintptr(min(n, len(b.Bytes))))
	default:
		m.settleLayout(b.Layout, b.Base, min(int64(n), b.Layout.Size()))
	}
}

// SettleFrom is Settle for a buffer that a rank writes to. One of the same node takes the same pages.
func (m *Memory) SettleFrom(rank int, b *btl.Buffer, n int) {
	if m != nil && m.job.Domain(rank).NUMA != m.node {
		m.Settle(b, n)
	}
}

// Bind has the whole pages of a range that are missing come from the owner's node, whichever rank touches them first,
// and whenever that is. The range is a memory area of its own then.
func (m *Memory) Bind(at uintptr, length int) {
	if m == nil {
		return
	}
	if first, last := (at+m.page-1)&^(m.page-1), (at+uintptr(length))&^(m.page-1); first < last {
		_ = sys.MemoryOn(first, last-first, m.node) // an error: it is slower, no more
	}
}

// settleLayout touches the first n bytes of a layout, and nothing between. Segments that share pages, or have
// neighbouring ones, are looked at together.
func (m *Memory) settleLayout(l *datatype.Layout, base uintptr, n int64) {
	var list [64]datatype.Segment
	var from, to uintptr // of those before
	for offset := int64(0); offset < n; {
		count, _ := datatype.Segments(list[:], l, base, offset)
		for _, s := range list[:count] {
			if offset >= n {
				break
			}
			s.Len = min(s.Len, uint64(n-offset))
			offset += int64(s.Len)
			if s.Addr < from || s.Addr >= to+m.page {
				m.touch(from, to-from)
				from, to = s.Addr, s.Addr
			}
			to = max(to, s.Addr+uintptr(s.Len))
		}
	}
	m.touch(from, to-from)
}

// touch touches the missing pages of length bytes. Where the kernel refuses they lie where a peer touches them first.
func (m *Memory) touch(at, length uintptr) {
	var present [1024]byte
	for end := at + length; at < end; {
		at &^= m.page - 1
		pages := present[:min(uintptr(len(present)), (end-at+m.page-1)/m.page)]
		if sys.Present(at, uintptr(len(pages))*m.page, pages) != nil {
			return
		}
		for len(pages) > 0 {
			there := pages[0] & 1
			same := 1
			for same < len(pages) && pages[same]&1 == there {
				same++
			}
			next := at + uintptr(same)*m.page
			if there == 0 {
				sys.Populate(at, int(next-at))
			}
			at, pages = next, pages[same:]
		}
	}
}
