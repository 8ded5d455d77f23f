package window

// The lock of a target; see doc.go.

const holderShift = 32

// holder is the rank that has the lock alone, -1 if none has.
func holder(word uint64) int { return int(word>>holderShift) - 1 }

// takeAlone takes the lock of a target for a rank alone, if it is free.
func (w *Window) takeAlone(rank, by int) bool {
	if !w.records[rank].lock.CompareAndSwap(0, uint64(by+1)<<holderShift) {
		return false
	}
	if w.head.everyone.Load() == 0 {
		return true
	}
	w.unlockAlone(rank)
	return false
}

// takeShared takes it for a rank beside others, if none has it alone.
func (w *Window) takeShared(rank, by int) bool {
	word := &w.records[rank].lock
	w.hold(by, heldOne(rank))
	for {
		v := word.Load()
		if holder(v) >= 0 {
			w.hold(by, -heldOne(rank))
			return false
		}
		if word.CompareAndSwap(v, v+1) {
			return true
		}
	}
}

// lockAlone takes the lock of a target for this rank alone.
func (w *Window) lockAlone(rank int) error {
	for !w.takeAlone(rank, w.me) {
		if err := w.await(w.untilFree(rank, true)); err != nil {
			return err
		}
	}
	return nil
}

func (w *Window) unlockAlone(rank int) {
	w.records[rank].lock.Store(0)
	w.changed()
}

// lockShared takes the lock of a target beside others.
func (w *Window) lockShared(rank int) error {
	for !w.takeShared(rank, w.me) {
		if err := w.free(rank); err != nil {
			return err
		}
	}
	return nil
}

func (w *Window) unlockShared(rank, by int) {
	w.records[rank].lock.Add(^uint64(0))
	w.hold(by, -heldOne(rank))
	w.changed()
}

// untilFree is the wait until the lock of a target can be taken.
func (w *Window) untilFree(rank int, alone bool) wait {
	word := &w.records[rank].lock
	if alone {
		return wait{
			over: func() bool { return word.Load() == 0 && w.head.everyone.Load() == 0 },
			blocks: func(gone int) bool {
				return holder(word.Load()) == gone || w.records[gone].held.Load() != 0
			},
			lock:   rank,
			holder: func() int { return holder(word.Load()) },
			beside: true,
		}
	}
	return wait{
		over:   func() bool { return holder(word.Load()) < 0 },
		blocks: func(gone int) bool { return holder(word.Load()) == gone },
		lock:   rank,
		holder: func() int { return holder(word.Load()) },
	}
}

// free waits until no rank has the lock of a target alone.
func (w *Window) free(rank int) error { return w.await(w.untilFree(rank, false)) }

// What record.held counts: in its lower part locks, above the sum of their targets, counted from 1. So of one lock it
// says which one it is.
const (
	heldShift = 24
	heldCount = 1<<heldShift - 1
	heldAll   = 1 // the lock of all targets
)

// heldOne is the lock of one target.
func heldOne(rank int) int64 { return int64(rank+1)<<heldShift + 1 }

// hold notes a shared lock that a rank has.
func (w *Window) hold(by int, lock int64) { w.records[by].held.Add(lock) }
