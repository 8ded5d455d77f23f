package file

import (
	"syscall"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/comm"
	"github.com/gopvas/gopvas/internal/reach"
	"github.com/gopvas/gopvas/internal/sys"
)

// party is a range of one rank's stream that is to be moved, and the memory for it.
type party struct {
	view  View
	start int64 // in the stream
	n     int64 // bytes

	buffer *comm.Buffer     // keeps the memory reachable, and on the heap; nil: memory of another rank
	base   uintptr          // of the memory
	layout *datatype.Layout // of the memory; nil: one piece
	pid    int              // of the process whose memory that is; 0: this process can address it
	rank   int              // whose it is

	far *comm.Comm // by which its bytes are sent; nil: its memory can be reached
	due bool       // it is far, and there was no message in this round
}

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
	if p.layout == nil {
		if !sys.Mapped(p.base, uintptr(p.n)) {
			return syscall.EFAULT
		}
		return nil
	}
	for _, pos := range []int64{0, p.n - 1} {
		var one [1]datatype.Segment
		datatype.Segments(one[:], p.layout, p.base, pos)
		if !sys.Mapped(one[0].Addr, 1) {
			return syscall.EFAULT
		}
	}
	return nil
}

// load copies a part of the party's stream out of its memory to dst.
func (p *party) load(dst []byte, from int64) error {
	switch {
	case p.far != nil:
		return p.exchange(true, dst)
	case p.pid != 0:
		return p.foreign().Load(dst, from-p.start)
	case p.layout == nil:
		copy(dst, memoryAt(p.base+uintptr(from-p.start), int64(len(dst))))
	default:
		datatype.Pack(dst, p.layout, p.base, from-p.start)
	}
	return nil
}

// store copies src to a part of the party's stream in its memory.
func (p *party) store(src []byte, from int64) error {
	switch {
	case p.far != nil:
		return p.exchange(false, src)
	case p.pid != 0:
		return p.foreign().Store(src, from-p.start)
	case p.layout == nil:
		copy(memoryAt(p.base+uintptr(from-p.start), int64(len(src))), src)
	default:
		datatype.Unpack(src, p.layout, p.base, from-p.start)
	}
	return nil
}

// foreign is the party's memory in another process, whose stream begins where the party does.
func (p *party) foreign() *reach.Memory {
	return &reach.Memory{PID: p.pid, Base: p.base, Layout: p.layout}
}

// whole returns the memory of a part of the stream if this process can address it in one piece.
func (p *party) whole(from, to int64) ([]byte, bool) {
	if p.far != nil || p.pid != 0 || p.layout != nil {
		return nil, false
	}
	return memoryAt(p.base+uintptr(from-p.start), to-from), true
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
