package window

import "fmt"

// region is memory that is attached to a dynamic window.
type region struct {
	base  uintptr
	bytes int
}

// Attach adds memory of this rank to a dynamic window. Its place is told to others by its address.
func (w *Window) Attach(base uintptr, bytes int) error {
	return w.wrap("attach to", -1, w.attach(region{base, bytes}))
}

func (w *Window) attach(r region) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.freed.Load():
		return ErrFreed
	case w.flavor != Dynamic:
		return fmt.Errorf("%w: memory is attached to dynamic windows", ErrFlavor)
	case r.bytes < 0:
		return ErrSize
	case r.bytes > 0 && (r.base < firstPage || r.base+uintptr(r.bytes) < r.base):
		return fmt.Errorf("%w: %d bytes at %#x", ErrAttach, r.bytes, r.base)
	}
	for _, other := range w.attached {
		if r.base < other.base+uintptr(other.bytes) && other.base < r.base+uintptr(r.bytes) {
			return fmt.Errorf("%w: it overlaps %d bytes at %#x, which are attached: detach them first", ErrAttach,
				other.bytes, other.base)
		}
	}
	w.attached = append(w.attached, r)
	return nil
}

// Detach takes memory from a dynamic window. No rank accesses it any more.
func (w *Window) Detach(base uintptr) error { return w.wrap("detach from", -1, w.detach(base)) }

func (w *Window) detach(base uintptr) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.freed.Load():
		return ErrFreed
	case w.flavor != Dynamic:
		return fmt.Errorf("%w: memory is detached from dynamic windows", ErrFlavor)
	}
	for i, r := range w.attached {
		if r.base == base {
			w.attached = append(w.attached[:i], w.attached[i+1:]...)
			return nil
		}
	}
	return ErrDetach
}
