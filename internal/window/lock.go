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
			lock:   rank,
			holder: func() int { return holder(word.Load()) },
			beside: true,
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
	w.hold(heldOne(rank))
	for {
		v := word.Load()
		if holder(v) >= 0 {
			if err := w.free(rank); err != nil {
				w.hold(-heldOne(rank))
				return err
			}
		} else if word.CompareAndSwap(v, v+1) {
			return nil
		}
	}
}

func (w *Window) unlockShared(rank int) {
	w.records[rank].lock.Add(^uint64(0))
	w.hold(-heldOne(rank))
	w.changed()
}

// free waits until no rank has the lock of a target alone.
func (w *Window) free(rank int) error {
	word := &w.records[rank].lock
	return w.await(wait{
		over:   func() bool { return holder(word.Load()) < 0 },
		blocks: func(gone int) bool { return holder(word.Load()) == gone },
		lock:   rank,
		holder: func() int { return holder(word.Load()) },
	})
}

// What record.held counts: in its lower part locks, above the sum of their targets, counted from 1. So of one lock it
// says which one it is.
const (
	heldShift = 24
	heldCount = 1<<heldShift - 1
	heldAll   = 1 // the lock of all targets
)

// heldOne is the lock of one target.
func heldOne(rank int) int64 { return int64(rank+1)<<heldShift + 1 }

// hold notes a shared lock that this rank has.
func (w *Window) hold(lock int64) { w.records[w.me].held.Add(lock) }
