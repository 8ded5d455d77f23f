package file

import (
	"fmt"
	"hash/fnv"
	"math"

	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/trace"
)

// Whence says what the offset of a seek counts from.
type Whence int

const (
	FromStart Whence = iota
	FromHere
	FromEnd // of the file, as the view shows it
)

// SeekTo sets this rank's pointer, in elements of the view.
func (f *File) SeekTo(offset int64, from Whence) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.mode&Sequential != 0 {
		return f.wrap("seek in", ErrSequential)
	}
	pos, err := f.target(offset, from, f.position)
	if err == nil {
		f.position = pos
	}
	return f.wrap("seek in", err)
}

// SeekByte is SeekTo in bytes of the stream, and returns where the pointer is then.
func (f *File) SeekByte(offset int64, from Whence) (int64, error) {
	f.mu.Lock()
	size := f.elementSize()
	f.mu.Unlock()
	if offset%size != 0 {
		return 0, f.wrap("seek in", ErrElement)
	}
	if err := f.SeekTo(offset/size, from); err != nil {
		return 0, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.position, nil
}

// elementSize is that of the view; 1 of a file that was never opened.
func (f *File) elementSize() int64 {
	if f.view.Element == nil {
		return 1
	}
	return f.view.Element.Size()
}

// target is the place in the stream that a seek goes to. The caller holds f.mu.
func (f *File) target(offset int64, from Whence, here int64) (int64, error) {
	if f.gone() {
		return 0, ErrClosed
	}
	base := int64(0)
	switch from {
	case FromStart:
	case FromHere:
		base = here
	case FromEnd:
		size, err := sys.FileSize(f.mover.fd)
		if err != nil {
			return 0, err
		}
		base = f.view.upTo(size)
		base += (f.view.Element.Size() - base%f.view.Element.Size()) % f.view.Element.Size()
	default:
		return 0, fmt.Errorf("%w: it is not known what the offset counts from", ErrArgument)
	}
	base /= f.view.Element.Size()
	if offset > math.MaxInt64-base {
		return 0, fmt.Errorf("%w: the pointer would be behind the largest offset", ErrArgument)
	}
	if base+offset < 0 {
		return 0, fmt.Errorf("%w: the pointer would be at %d, before the beginning", ErrArgument, base+offset)
	}
	return f.view.bytes(base + offset)
}

// Position returns where this rank's pointer is, in elements of the view.
func (f *File) Position() (int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.gone():
		return 0, f.wrap("get the position in", ErrClosed)
	case f.mode&Sequential != 0:
		return 0, f.wrap("get the position in", ErrSequential)
	}
	return f.position / f.view.Element.Size(), nil
}

// SeekShared sets the shared pointer. It is collective; all ranks pass the same.
func (f *File) SeekShared(offset int64, from Whence) error {
	const op = "seek with the shared pointer in"
	if err := f.usable(); err != nil {
		return f.wrap(op, err)
	}
	bad := f.splitError()
	if f.mode&Sequential != 0 {
		bad = ErrSequential
	}
	if err := f.meet(seeksShared, bad, offset, int64(from)); err != nil {
		return f.wrap(op, err)
	}
	f.mu.Lock()
	now, err := f.common()
	pos := int64(0)
	if err == nil {
		pos, err = f.target(offset, from, now)
	}
	f.mu.Unlock()
	if err := f.agree(err); err != nil { // all have read the pointer
		return f.wrap(op, err)
	}
	if f.ranks.Rank() == 0 {
		f.shared.pointer().Store(pos)
	}
	return f.wrap(op, f.agree(nil)) // it is set before anybody goes on
}

// PositionShared returns where the shared pointer is, in elements of the view.
func (f *File) PositionShared() (int64, error) {
	const op = "get the shared position in"
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.gone():
		return 0, f.wrap(op, ErrClosed)
	case f.mode&Sequential != 0:
		return 0, f.wrap(op, ErrSequential)
	}
	now, err := f.common()
	return now / f.view.Element.Size(), f.wrap(op, err)
}

// Offset returns where an element of the view is in the file, in bytes.
func (f *File) Offset(element int64) (int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	pos, err := f.view.bytes(element)
	switch {
	case f.gone():
		err = ErrClosed
	case f.mode&Sequential != 0:
		err = ErrSequential
	case err == nil && pos >= f.view.size():
		err = fmt.Errorf("%w: the view has no element %d", ErrArgument, element)
	}
	if err != nil {
		return 0, f.wrap("find an element of", err)
	}
	return f.view.offset(pos), nil
}

// View returns the view of this rank.
func (f *File) View() View {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.view
}

// SetView changes the view of each rank. Both pointers are at its beginning then. It is collective; element types have
// the same extent on all ranks. A displacement of
// -1 is where the shared pointer is, in a file that is opened sequentially. info has hints, or is nil. wrong is what
// the face has found wrong with the call of this rank: then all get an error.
func (f *File) SetView(v View, info *comm.Info, wrong error) error {
	const op = "set the view of"
	if err := f.usable(); err != nil {
		return f.wrap(op, err)
	}
	call := f.ranks.BeginTally(trace.FileView)
	err := f.setView(v, info, wrong)
	call.End(0, -1, err)
	return f.wrap(op, err)
}

// setView is SetView.
func (f *File) setView(v View, info *comm.Info, wrong error) error {
	bad := wrong
	if bad == nil {
		bad = f.viewError(&v)
	} else {
		v = ByteView() // only to take part
	}
	if bad == nil {
		f.mu.Lock()
		bad = f.hints.set(info)
		f.mu.Unlock()
	}
	name := fnv.New64a()
	_, _ = name.Write([]byte(v.Datarep)) // never fails
	_, extent := v.Element.Extent()
	if err := f.meet(setsView, bad, int64(name.Sum64()), extent); err != nil {
		return err
	}
	f.mu.Lock()
	f.view, f.position = v, 0
	f.mu.Unlock()
	if f.ranks.Rank() == 0 {
		f.shared.pointer().Store(0)
	}
	return f.agreeOnWindow() // and nobody uses the shared pointer before it is set
}

// Here is the displacement that stands for the place of the shared pointer.
const Here = -1

// viewError completes a view, or says what is wrong with it.
func (f *File) viewError(v *View) error {
	if err := f.splitError(); err != nil {
		return err
	}
	if v.Displacement == Here && f.mode&Sequential != 0 {
		now, err := f.common()
		if err != nil {
			return err
		}
		old := f.View()
		v.Displacement = old.offset(now)
	} else if f.mode&Sequential != 0 {
		return fmt.Errorf("%w: pass MPI_DISPLACEMENT_CURRENT", ErrSequential)
	}
	return v.lay(f.mode&ReadOnly == 0)
}
