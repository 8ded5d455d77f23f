package window

import (
	"fmt"
	"math/bits"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/comm"
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

// patience is how often a word is read in succession before that is a wait for another rank to change it, which may
// need this CPU. cmd/libmpi/window.c has the same.
const patience = 100

// reads is called before a word is read or exchanged. Threads that read at once may miscount: then one gives way too
// often or too late.
func (w *Window) reads(a *access, bytes int) {
	switch {
	case bytes > 8 || a.pid == elsewhere: // a node that is asked is waited for
	case w.read.at.Load() != a.at:
		w.read.at.Store(a.at)
		w.read.times.Store(0)
	case w.read.times.Add(1)%patience == 0:
		w.GiveWay()
	}
}

// GiveWay ends some reads that have found nothing new.
func (w *Window) GiveWay() { comm.GiveWay(w.own) }

// find checks an operation on a place, and finds it. A place without bytes has no address.
func (w *Window) find(p *Place) (a access, err error) {
	if err = w.member(p.Rank); err != nil {
		return a, err
	}
	if err = w.permit(p.Rank); err != nil || p.Bytes == 0 {
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
