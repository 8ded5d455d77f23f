package window

import (
	"fmt"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// Attach adds memory of this rank to a dynamic window. Its place is told to others by its address.
func (w *Window) Attach(base uintptr, bytes int) error {
	err := w.dynamic()
	if err == nil && bytes < 0 {
		err = ErrSize
	}
	if err == nil && !sys.Mapped(base, uintptr(bytes)) { // an access would end the rank that makes it
		err = fmt.Errorf("%w: not all of %d bytes at %#x is memory of this process", ErrAttach, bytes, base)
	}
	if err == nil {
		err = w.attached.Attach(base, bytes)
	}
	return w.wrap("attach", -1, err)
}

// Detach takes memory from a dynamic window. No rank accesses it any more.
func (w *Window) Detach(base uintptr) error {
	err := w.dynamic()
	if err == nil {
		err = w.attached.Detach(base)
	}
	return w.wrap("detach", -1, err)
}

// dynamic returns an error unless memory can be attached to the window and detached from it.
func (w *Window) dynamic() error {
	switch {
	case w.epochs.Freed():
		return ErrFreed
	case w.flavor != Dynamic:
		return fmt.Errorf("%w: memory is attached to dynamic windows", ErrFlavor)
	}
	return nil
}
