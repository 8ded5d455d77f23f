package lock

// The lock of a target; see doc.go.

const holderShift = 32

// holder is the rank that has the lock alone, -1 if none has.
func holder(word uint64) int { return int(word>>holderShift) - 1 }

// Exclusive tells whether a rank has the lock of a target alone.
func (w *Words) Exclusive(rank int) bool { return holder(w.records[rank].lock.Load()) >= 0 }

// Take takes the lock of a target for a rank, alone or beside others, if that can be now.
func (w *Words) Take(rank, by int, alone bool) bool {
	if alone {
		return w.takeAlone(rank, by)
	}
	return w.takeShared(rank, by)
}

func (w *Words) takeAlone(rank, by int) bool {
	if !w.records[rank].lock.CompareAndSwap(0, uint64(by+1)<<holderShift) {
		return false
	}
	if w.head.everyone.Load() == 0 {
		return true
	}
	w.Give(rank, by, true)
	return false
}

func (w *Words) takeShared(rank, by int) bool {
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

// Lock takes the lock of a target for this rank. It waits until that can be.
func (w *Words) Lock(rank int, alone bool) error {
	for !w.Take(rank, w.me, alone) {
		if err := w.await(w.untilFree(rank, alone), false); err != nil {
			return err
		}
	}
	return nil
}

// LockAside takes the lock of this rank for another one, likewise. It is for a goroutine that serves other ranks. It
// returns an error when left becomes true, and this rank is notified.
func (w *Words) LockAside(by int, alone bool, left func() bool) error {
	for !w.Take(w.me, by, alone) {
		a := w.untilFree(w.me, alone)
		a.left = left
		if err := w.await(a, true); err != nil {
			return err
		}
	}
	return nil
}

// Give gives the lock of a target back that a rank has. The rank may have gone, and asked for it before that: then
// others may have taken the lock back, and one of them may have it.
func (w *Words) Give(rank, by int, alone bool) {
	if alone {
		w.records[rank].lock.CompareAndSwap(uint64(by+1)<<holderShift, 0)
	} else {
		w.records[rank].lock.Add(^uint64(0))
		w.hold(by, -heldOne(rank))
	}
	w.Changed()
}

// LockAll takes the lock of all targets. It waits until no rank has that of some of them alone: first to end-1.
func (w *Words) LockAll(first, end int) error {
	w.hold(w.me, heldAll)
	w.head.everyone.Add(1)
	for rank := first; rank < end; rank++ {
		if !w.Exclusive(rank) {
			continue
		}
		if err := w.AwaitFree(rank); err != nil {
			w.UnlockAll()
			return err
		}
	}
	return nil
}

// UnlockAll gives it back.
func (w *Words) UnlockAll() {
	w.head.everyone.Add(-1)
	w.hold(w.me, -heldAll)
	w.Changed()
}

// AwaitFree waits until no rank has the lock of a target alone.
func (w *Words) AwaitFree(rank int) error { return w.await(w.untilFree(rank, false), false) }

// untilFree is the wait until the lock of a target can be taken.
func (w *Words) untilFree(rank int, alone bool) wait {
	word := &w.records[rank].lock
	a := wait{
		over:   func() bool { return holder(word.Load()) < 0 },
		blocks: func(gone int) bool { return holder(word.Load()) == gone },
		free:   func(gone int) { word.CompareAndSwap(uint64(gone+1)<<holderShift, 0) },
		lock:   rank,
		holder: func() int { return holder(word.Load()) },
	}
	if alone {
		a.over = func() bool { return word.Load() == 0 && w.head.everyone.Load() == 0 }
		a.blocks = func(gone int) bool { return holder(word.Load()) == gone || w.mayShare(rank, gone) }
		a.beside = true
	}
	return a
}

// mayShare tells whether a rank that has gone may have the lock of a target beside others. If it had several nobody
// knows which.
func (w *Words) mayShare(rank, gone int) bool {
	held := w.records[gone].held.Load()
	return held == heldOne(rank) || held == heldAll || held&heldCount > 1
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

// hold notes a shared lock that a rank has.
func (w *Words) hold(by int, lock int64) { w.records[by].held.Add(lock) }
