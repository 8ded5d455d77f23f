package window

import (
	"fmt"
	"slices"
)

// firstPage is never mapped.
const firstPage = 4096

// Attach adds memory of this rank to a dynamic window. Its place is told to others by its address.
func (w *Window) Attach(base uintptr, bytes int) error {
	return w.wrap("attach to", -1, w.attach(region{base, bytes}))
}

func (w *Window) attach(r region) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.dynamic()
	switch {
	case err != nil:
		return err
	case r.bytes < 0:
		return ErrSize
	case r.bytes > 0 && (r.base < firstPage || r.end() < r.base):
		return fmt.Errorf("%w: %d bytes at %#x", ErrAttach, r.bytes, r.base)
	}
	for _, other := range w.mine {
		if r.base < other.end() && other.base < r.end() && min(r.bytes, other.bytes) > 0 {
			return fmt.Errorf("%w: it overlaps %d bytes at %#x, which are attached: detach them first", ErrAttach,
				other.bytes, other.base)
		}
	}
	w.mine = insert(w.mine, r)
	w.attachedOf(w.me).tell(w.mine)
	return nil
}

// Detach takes memory from a dynamic window. No rank accesses it any more.
func (w *Window) Detach(base uintptr) error { return w.wrap("detach from", -1, w.detach(base)) }

func (w *Window) detach(base uintptr) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.dynamic(); err != nil {
		return err
	}
	i := slices.IndexFunc(w.mine, func(r region) bool { return r.base == base })
	if i < 0 {
		return ErrDetach
	}
	w.mine = slices.Delete(w.mine, i, i+1)
	w.attachedOf(w.me).tell(w.mine)
	return nil
}

// dynamic returns an error unless memory can be attached to the window and detached from it. The caller holds w.mu.
func (w *Window) dynamic() error {
	switch {
	case w.freed():
		return ErrFreed
	case w.flavor != Dynamic:
		return fmt.Errorf("%w: memory is attached to dynamic windows", ErrFlavor)
	}
	return nil
}
