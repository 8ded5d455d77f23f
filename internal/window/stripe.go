package window

// The locks of elements that no instruction changes at once.

// stripeShift is the length of a stripe in memory as a power of two.
const stripeShift = 14

// stripeEnd is where the stripe of a place ends.
func stripeEnd(at uintptr) uintptr { return (at>>stripeShift + 1) << stripeShift }

// enter takes the lock of the stripe of a place, and returns it. aside says that the caller serves another rank.
func (w *Window) enter(at uintptr, aside bool) (*stripe, error) {
	h := uint64(at>>stripeShift) * 0x9e3779b97f4a7c15
	s := &w.stripes[h>>32&uint64(len(w.stripes)-1)]
	for !s.holder.CompareAndSwap(0, uint32(w.me+1)) {
		await := w.await
		if aside {
			await = w.awaitAside
		}
		err := await(wait{
			over:   func() bool { return s.holder.Load() == 0 },
			blocks: func(gone int) bool { return int(s.holder.Load()) == gone+1 },
			lock:   none,
			holder: func() int { return int(s.holder.Load()) - 1 },
		})
		if err != nil {
			return nil, err
		}
	}
	return s, nil
}

// leave gives it back.
func (w *Window) leave(s *stripe) {
	s.holder.Store(0)
	w.changed()
}
