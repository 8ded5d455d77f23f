package file

import (
	"fmt"
	"math"
	"runtime"
	"syscall"

	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/msg/reach"
	"github.com/gopvas/gopvas/trace"
)

// Place says where in the stream an access begins.
type Place struct {
	pointer pointer
	offset  int64
}

// pointer tells the kinds of places apart.
type pointer int

const (
	none pointer = iota
	individual
	common
)

// At is a place that the call names, in elements of the view.
func At(offset int64) Place { return Place{none, offset} }

// Own is where this rank's pointer is, which moves on. Shared is the pointer that all ranks have in common; in a
// collective call ranks access what follows it in their order.
var (
	Own    = Place{pointer: individual}
	Shared = Place{pointer: common}
)

// Access is what a rank wants to do.
type Access struct {
	Write  bool
	Place  Place
	Memory comm.Buffer

	// Wrong is what the face has found wrong with the call of this rank. It is the rank's error; in a collective
	// call all ranks get one.
	Wrong error
}

// call is the access as a collective call.
func (a *Access) call() call {
	c := accesses + 2*call(a.Place.pointer)
	if a.Write {
		c++
	}
	return c
}

// op is the name of an access in errors.
func (a *Access) op() string {
	if a.Write {
		return "write"
	}
	return "read"
}

// kind is the kind of an access in traces: that of a read, or the one of a write after it.
func (a *Access) kind(read trace.Kind) trace.Kind {
	if a.Write {
		return read + 1
	}
	return read
}

// Do does an access of this rank alone. It returns the number of bytes: of a read fewer than there is room for if the
// file ends.
func (f *File) Do(a *Access) (int, error) {
	call := f.ranks.BeginTally(a.kind(trace.FileRead))
	n, err := f.do(a)
	call.End(n, -1, err)
	return n, f.wrap(a.op(), err)
}

func (f *File) do(a *Access) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p, err := f.begin(a)
	if err != nil {
		return 0, err
	}
	if err := f.place(a, &p); err != nil {
		return 0, err
	}
	n, err := f.move(a.Write, &p)
	runtime.KeepAlive(a)
	if a.Place.pointer == individual {
		f.position = p.start + f.view.whole(n)
	}
	return int(n), err
}

// place finds where the access begins if that is at the shared pointer, which moves on unless the access is refused.
func (f *File) place(a *Access, p *party) (err error) {
	if a.Place.pointer == common {
		if p.start, err = f.advance(p.n, p.last(a.Write)); err != nil {
			return err
		}
	}
	return p.fits(a.Write)
}

// begin checks an access, and says what it moves. The caller holds f.mu.
func (f *File) begin(a *Access) (p party, err error) {
	if f.gone() {
		return p, ErrClosed
	}
	b := &a.Memory
	p = party{view: f.view, n: int64(b.Len()), memory: reach.Memory{Base: b.Place(), Layout: b.Layout}, buffer: b}
	switch {
	case a.Wrong != nil:
		return p, a.Wrong
	case a.Write && f.mode&ReadOnly != 0:
		return p, ErrReadOnly
	case !a.Write && f.mode&WriteOnly != 0:
		return p, ErrWriteOnly
	case f.mode&Sequential != 0 && a.Place.pointer != common:
		return p, ErrSequential
	case p.n%f.view.Element.Size() != 0:
		return p, fmt.Errorf("%w: %d bytes are no elements of %d", ErrElement, p.n, f.view.Element.Size())
	}
	if f.view.size() == 0 {
		p.n = 0 // a file type without bytes: there is nothing to be accessed
	}
	switch a.Place.pointer {
	case none:
		p.start, err = f.view.bytes(a.Place.offset)
	case individual:
		p.start = f.position
	}
	return p, err
}

// bytes is the place in the stream that so many elements take.
func (v *View) bytes(elements int64) (int64, error) {
	size := v.Element.Size()
	if elements < 0 {
		return 0, fmt.Errorf("%w: the offset %d is negative", ErrArgument, elements)
	}
	if elements > math.MaxInt64/size {
		return 0, fmt.Errorf("%w: the offset %d is behind the largest one", ErrArgument, elements)
	}
	return elements * size, nil
}

// whole rounds bytes down to elements.
func (v *View) whole(bytes int64) int64 { return bytes - bytes%v.Element.Size() }

// fits returns an error if the party's range goes behind the largest offset, or behind what the process may write.
// There the system would end the process.
func (p *party) fits(write bool) error {
	switch {
	case p.n <= 0:
	case p.start < 0 || p.start > p.view.size()-p.n:
		return fmt.Errorf("%w: the access ends behind the largest offset", ErrArgument)
	case p.start > p.last(write):
		return mayReach(math.MaxInt64)
	}
	return nil
}

// last is the last place in the stream where the party's range fits.
func (p *party) last(write bool) int64 {
	size := p.view.size()
	if !write {
		return size - p.n
	}
	if most := mayWrite(); most < math.MaxInt64 {
		size = p.view.upTo(most)
	}
	return size - p.n
}

// mayWrite is how long the process may make a file.
func mayWrite() int64 {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &l); err != nil {
		return math.MaxInt64
	}
	return int64(min(l.Cur, math.MaxInt64))
}

// mayReach returns an error if the process may not write up to an offset: the system would end it.
func mayReach(end int64) error {
	if most := mayWrite(); end > most {
		return at(most, syscall.EFBIG)
	}
	return nil
}

// move moves what this rank accesses, without the others. In atomic mode it has the range for itself. The caller
// holds f.mu.
func (f *File) move(write bool, p *party) (n int64, err error) {
	if f.atomic {
		lo, hi := p.span()
		unlock, err := f.mover.lock(write, lo, hi)
		if err != nil {
			return 0, at(lo, err)
		}
		defer unlock()
	}
	f.mover.write = write
	n, err = f.mover.alone(p)
	f.mover.walker.p = nil // the memory is the program's again
	return n, err
}

// AtByte is At of a byte of the stream, which begins an element.
func (f *File) AtByte(offset int64) (Place, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	size := f.elementSize()
	if offset%size != 0 {
		return Place{}, f.wrap("find a place in", ErrElement)
	}
	return At(offset / size), nil
}
