package file

import (
	"syscall"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/msg/reach"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// party is a range of one rank's stream that is to be moved, and the memory for it.
type party struct {
	view  View
	start int64 // in the stream
	n     int64 // bytes

	buffer *comm.Buffer // keeps the memory reachable, and on the heap; nil: memory of another rank
	memory reach.Memory // whose stream begins where the party does
	rank   int          // whose it is

	far *comm.Comm // by which its bytes are sent; nil: its memory can be reached
	due bool       // it is far, and there was no message in this round
}

// inMemory is the memory of a party whose stream is in bytes of this process, which the caller keeps.
func inMemory(bytes []byte) reach.Memory { return reach.Memory{Base: sys.AddrOf(bytes)} }

// end is where the range ends in the stream.
func (p *party) end() int64 { return p.start + p.n }

// tangled tells whether places in the file do not go up with those in the range.
func (p *party) tangled() bool {
	return p.view.tangled && p.n > 0 && p.start/p.view.Type.Size() != (p.end()-1)/p.view.Type.Size()
}

// span is the part of the file that the party touches; lo == hi: none.
func (p *party) span() (lo, hi int64) {
	if p.n <= 0 {
		return 0, 0
	}
	if p.tangled() {
		_, extent := p.view.Type.Extent()
		first, span := p.view.Type.TrueExtent()
		lo = p.view.Displacement + first
		return lo + p.start/p.view.Type.Size()*extent, lo + (p.end()-1)/p.view.Type.Size()*extent + span
	}
	return p.view.offset(p.start), p.view.offset(p.end()-1) + 1
}

// within is the part of the party's stream that lies in a part of the file.
func (p *party) within(lo, hi int64) (from, to int64) {
	from = p.view.find(p.start, p.end(), lo)
	return from, p.view.find(from, p.end(), hi)
}

// present returns an error if there is no memory where the first or the last byte of the party is. The system would
// end a peer that moves bytes for this rank.
func (p *party) present() error {
	if p.n <= 0 {
		return nil
	}
	m := &p.memory
	if m.Layout == nil {
		if !sys.Mapped(m.Base, uintptr(p.n)) {
			return syscall.EFAULT
		}
		return nil
	}
	for _, pos := range []int64{0, p.n - 1} {
		var one [1]datatype.Segment
		datatype.Segments(one[:], m.Layout, m.Base, pos)
		if !sys.Mapped(one[0].Addr, 1) {
			return syscall.EFAULT
		}
	}
	return nil
}

// load copies a part of the party's stream out of its memory to dst.
func (p *party) load(dst []byte, from int64) error {
	if p.far != nil {
		return p.exchange(true, dst)
	}
	return p.memory.Load(dst, from-p.start)
}

// store copies src to a part of the party's stream in its memory.
func (p *party) store(src []byte, from int64) error {
	if p.far != nil {
		return p.exchange(false, src)
	}
	return p.memory.Store(src, from-p.start)
}

// whole returns the memory of a part of the stream if this process can address it in one piece.
func (p *party) whole(from, to int64) ([]byte, bool) {
	if p.far != nil {
		return nil, false
	}
	return p.memory.Whole(from-p.start, to-from)
}

// sampled is how many extents of a party are looked at to know how long its extents are.
const sampled = 64

// grain estimates two numbers from the first extents of the party in the file. extent is their mean length. spread is
// how many bytes of the file there are, from the first to the last, for each byte of the party.
func (p *party) grain() (extent, spread int64) {
	if p.n <= 0 {
		return 0, 1
	}
	if _, ok := p.view.layout.Contiguous(); ok {
		return p.n, 1
	}
	var list [sampled]datatype.Segment
	count, bytes := datatype.Segments(list[:], &p.view.layout, uintptr(p.view.Displacement), p.start)
	if bytes >= p.n {
		count, bytes = clip(list[:count], p.n), p.n
	}
	last := list[count-1]
	return bytes / int64(count), int64(last.Addr+uintptr(last.Len)-list[0].Addr) / bytes
}

// clip shortens a list of segments to so many bytes, and returns how many segments are left.
func clip(list []datatype.Segment, bytes int64) int {
	for i := range list {
		if int64(list[i].Len) >= bytes {
			list[i].Len = uint64(bytes)
			return i + 1
		}
		bytes -= int64(list[i].Len)
	}
	return len(list)
}
