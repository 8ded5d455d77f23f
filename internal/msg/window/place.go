package window

import (
	"fmt"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/shm"
)

// Place is where an operation reads or writes the memory of a target: a packed stream of bytes.
type Place struct {
	Rank   int
	Disp   int              // in the units of the target
	Layout *datatype.Layout // nil: one piece
	First  int              // of one piece, the displacement of its first byte in bytes
	Bytes  int              // of the stream
}

// access is a place that was found.
type access struct {
	*target
	rank int
	addr uintptr // of the first byte, or with a layout of displacement zero
	at   uintptr // the same in stripes
}

// reader is what reads has seen last, and how often in succession.
type reader struct {
	at    atomic.Uintptr
	times atomic.Int64
}

// reads is called before a word is read or exchanged. One that is read in succession is waited for: another rank may
// need this CPU to change it. Threads that read at once may miscount: then one yields too often or too late.
func (w *Window) reads(a *access, bytes int) {
	switch {
	case bytes > 8 || a.pid == elsewhere: // a node that is asked is waited for
	case w.reader.at.Load() != a.at:
		w.reader.at.Store(a.at)
		w.reader.times.Store(0)
	case w.reader.times.Add(1)%shm.SharedLooks == 0:
		w.Yield()
	}
}

// Yield ends some reads that have found nothing new.
func (w *Window) Yield() { comm.Waiter(w.own).Yield() }

// find checks an operation on a place, and finds it. A place without bytes has no address.
func (w *Window) find(p *Place) (a access, err error) {
	if err = w.member(p.Rank); err != nil {
		return a, err
	}
	all, err := w.epochs.Permit(p.Rank)
	if all && w.words.Exclusive(p.Rank) {
		err = w.words.AwaitFree(p.Rank)
	}
	if err != nil || p.Bytes == 0 {
		return a, err
	}
	t := &w.targets[p.Rank]
	lo, hi := int64(p.First), int64(p.First+p.Bytes)
	if p.Layout != nil {
		lo, hi = p.Layout.Span()
	}
	more, offset := bits.Mul64(uint64(p.Disp), t.unit)
	first := int64(offset) + lo
	if p.Disp < 0 || more != 0 || int64(offset) < 0 || first < 0 || hi < lo ||
		uint64(first)+uint64(hi-lo) > t.bytes {
		return a, w.outside(p, lo, hi)
	}
	if w.flavor == Dynamic && t.pid != elsewhere { // else the target finds out
		if err = w.isAttached(p, offset, lo, hi); err != nil {
			return a, err
		}
	}
	base := t.base.Load()
	if base == notMapped {
		if base, err = w.mapped(p.Rank); err != nil {
			return a, err
		}
	}
	if p.Layout == nil {
		offset += uint64(p.First)
	}
	return access{t, p.Rank, base + uintptr(offset), t.salt + uintptr(offset)}, nil
}

func (w *Window) outside(p *Place, lo, hi int64) error {
	t := &w.targets[p.Rank]
	if w.flavor == Dynamic {
		return fmt.Errorf("%w: displacement %d: that of a dynamic window is an address of the target", ErrRange, p.Disp)
	}
	return fmt.Errorf("%w: bytes %d to %d from displacement %d on, in units of %d bytes; it has %d bytes", ErrRange, lo,
		hi-1, p.Disp, t.unit, t.bytes)
}

// memory is a place that this process can address, as a buffer.
func (a *access) memory(p *Place) comm.Buffer {
	if p.Layout != nil {
		return comm.Buffer{Layout: p.Layout, Base: a.addr}
	}
	return comm.Buffer{Bytes: memoryAt(a.addr, p.Bytes)}
}

// isAttached returns an error unless a place of a dynamic window is: as a whole, or all its pieces.
func (w *Window) isAttached(p *Place, offset uint64, lo, hi int64) error {
	i, _ := w.node.placeOf(p.Rank)
	err := w.attached.Check(i, offset+uint64(lo), offset+uint64(hi))
	if err != nil && p.Layout != nil {
		err = w.attached.CheckPieces(i, p.Layout, uintptr(offset), p.Bytes)
	}
	return err
}

// mostPieces are checked for conflicts: an operation that has more is not looked at.
const mostPieces = 64

// touched are the bytes that an operation is on, from the beginning of the target's memory on; nil: none, or what is
// not looked at. The operation itself finds what is wrong with it.
func (w *Window) touched(p *Place) []datatype.Segment {
	if p.Rank == comm.ProcNull {
		return nil
	}
	a, err := w.find(p)
	if err != nil || p.Bytes == 0 || a.pid == elsewhere {
		return nil
	}
	start := a.addr - a.base.Load()
	if p.Layout == nil {
		return []datatype.Segment{{Addr: start, Len: uint64(p.Bytes)}}
	}
	var list [mostPieces]datatype.Segment
	n, bytes := datatype.Segments(list[:], p.Layout, start, 0)
	if bytes < int64(p.Bytes) {
		return nil
	}
	return slices.Clone(list[:n])
}

// watched does an operation that is watched.
func (w *Window) watched(by uint16, writes bool, p *Place, do func() error) error {
	where := func() []datatype.Segment { return w.touched(p) }
	return w.watch.Operation(by, writes, p.Rank, p.Bytes, where, do)
}
