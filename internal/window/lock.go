package window

// The lock of a target; see doc.go.

const holderShift = 32

// holder is the rank that has the lock alone, -1 if none has.
func holder(word uint64) int { return int(word>>holderShift) - 1 }

// lockAlone takes the lock of a target for this rank alone.
func (w *Window) lockAlone(rank int) error {
	word, mine := &w.records[rank].lock, uint64(w.me+1)<<holderShift
	for {
		if word.CompareAndSwap(0, mine) {
			if w.head.everyone.Load() == 0 {
				return nil
			}
			w.unlockAlone(rank)
		}
		err := w.await(wait{
			over: func() bool { return word.Load() == 0 && w.head.everyone.Load() == 0 },
			blocks: func(gone int) bool {
				return holder(word.Load()) == gone || w.records[gone].held.Load() != 0
			},
			lock: rank,
		})
		if err != nil {
			return err
		}
	}
}

func (w *Window) unlockAlone(rank int) {
	w.records[rank].lock.Store(0)
	w.changed()
}

// lockShared takes the lock of a target beside others.
func (w *Window) lockShared(rank int) error {
	word := &w.records[rank].lock
	w.hold(1)
	for {
		v := word.Load()
		if holder(v) >= 0 {
			if err := w.free(rank); err != nil {
				w.hold(-1)
				return err
			}
		} else if word.CompareAndSwap(v, v+1) {
			return nil
		}
	}
}

func (w *Window) unlockShared(rank int) {
	w.records[rank].lock.Add(^uint64(0))
	w.hold(-1)
	w.changed()
}

// free waits until no rank has the lock of a target alone.
func (w *Window) free(rank int) error {
	word := &w.records[rank].lock
	return w.await(wait{
		over:   func() bool { return holder(word.Load()) < 0 },
		blocks: func(gone int) bool { return holder(word.Load()) == gone },
		lock:   rank,
	})
}

// hold notes that this rank has so many shared locks more.
func (w *Window) hold(more int64) { w.records[w.me].held.Add(more) }
