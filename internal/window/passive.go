package window

import (
	"runtime"

	"github.com/gopvas/gopvas/internal/comm"
	"github.com/gopvas/gopvas/trace"
)

// Epochs of passive targets: those of locks.

// Lock begins an access epoch to one target: alone, or beside others that do not lock it alone.
func (w *Window) Lock(alone bool, rank int, a Assert) error {
	if rank == comm.ProcNull {
		return nil
	}
	if w.watch != nil {
		return w.wrap("lock", rank, w.epoch(trace.WinLock, rank, func() error { return w.lock(alone, rank, a) }))
	}
	return w.wrap("lock", rank, w.lock(alone, rank, a))
}

func (w *Window) lock(alone bool, rank int, a Assert) error {
	if err := w.member(rank); err != nil {
		return err
	}
	mark := uint32(open)
	if alone {
		mark |= exclusive
	}
	if a&NoCheck != 0 {
		mark |= unchecked
	}
	if err := w.beginLock(rank, mark); err != nil {
		return err
	}
	var err error
	switch {
	case a&NoCheck != 0:
	case w.isRemote(rank):
		err = w.askLock(rank, alone)
	case alone:
		err = w.lockAlone(rank)
	default:
		err = w.lockShared(rank)
	}
	if err != nil {
		w.endLock(rank)
	}
	return err
}

// beginLock notes that a target is locked.
func (w *Window) beginLock(rank int, mark uint32) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.access.Load() != locked {
		if err := w.mayBegin("Lock"); err != nil {
			return err
		}
	} else if w.marks.get(rank) != 0 {
		return syncError("%s of a target that is locked: call %s first", "Lock", "Unlock")
	}
	w.marks.set(rank, len(w.targets), mark)
	w.locks++
	w.access.Store(locked)
	return nil
}

func (w *Window) endLock(rank int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.marks.set(rank, len(w.targets), 0)
	if w.locks--; w.locks == 0 {
		w.access.Store(idle)
	}
}

// Unlock ends the epoch of Lock.
func (w *Window) Unlock(rank int) error {
	if rank == comm.ProcNull {
		return nil
	}
	if w.watch != nil {
		return w.wrap("unlock", rank, w.epoch(trace.WinUnlock, rank, func() error { return w.unlock(rank) }))
	}
	return w.wrap("unlock", rank, w.unlock(rank))
}

func (w *Window) unlock(rank int) error {
	if err := w.isLocked("Unlock", rank); err != nil {
		return err
	}
	mark := w.marks.get(rank)
	w.endLock(rank)
	switch {
	case w.isRemote(rank):
		return w.giveLock(rank, mark)
	case mark&unchecked != 0:
	case mark&exclusive != 0:
		w.unlockAlone(rank)
	default:
		w.unlockShared(rank, w.me)
	}
	return nil
}

// isLocked returns an error unless the target is locked by itself.
func (w *Window) isLocked(c call, rank int) error {
	if err := w.member(rank); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.expect(c, locked, "Lock")
	if err == nil && w.marks.get(rank) == 0 {
		err = syncError("%s of a target that is not locked: call %s first", c, "Lock")
	}
	return err
}

// LockAll begins an access epoch to all targets, beside others that do not lock one alone.
func (w *Window) LockAll(a Assert) error {
	return w.calls(trace.WinLock, "lock all", func() error { return w.lockAll(a) })
}

func (w *Window) lockAll(a Assert) error {
	w.mu.Lock()
	err := w.mayBegin("LockAll")
	if err == nil {
		w.noCheck = a&NoCheck != 0
		w.access.Store(lockedAll)
	}
	w.mu.Unlock()
	if err == nil && a&NoCheck == 0 {
		err = w.lockEveryone()
	}
	return err
}

// lockEveryone takes the lock of all targets of the node. It waits for those whose memory this rank may load and store
// without calls. The lock of a target of another node is taken by the first operation on it.
func (w *Window) lockEveryone() error {
	w.hold(w.me, heldAll)
	w.head.everyone.Add(1)
	first, end := w.me, w.me+1
	if w.flavor == Shared {
		first, end = 0, len(w.targets)
	}
	for rank := first; rank < end; rank++ {
		if holder(w.records[rank].lock.Load()) < 0 {
			continue
		}
		if err := w.free(rank); err != nil {
			w.unlockEveryone()
			w.access.Store(idle)
			return err
		}
	}
	return nil
}

func (w *Window) unlockEveryone() {
	w.head.everyone.Add(-1)
	w.hold(w.me, -heldAll)
	w.changed()
}

// UnlockAll ends the epoch of LockAll.
func (w *Window) UnlockAll() error { return w.calls(trace.WinUnlock, "unlock all", w.unlockAll) }

func (w *Window) unlockAll() error {
	w.mu.Lock()
	err := w.expect("UnlockAll", lockedAll, "LockAll")
	if err == nil {
		w.access.Store(idle)
	}
	w.mu.Unlock()
	if err == nil && !w.noCheck {
		w.unlockEveryone()
	}
	if err == nil {
		err = w.giveLocks()
	}
	return err
}

// Flush returns when all operations of this rank on a target are done there. Within a node they were when they
// returned: only the order of stores is to be kept.
func (w *Window) Flush(rank int) error {
	if rank == comm.ProcNull {
		return nil
	}
	if w.watch != nil {
		return w.wrap("flush", rank, w.epoch(trace.WinFlush, rank, func() error { return w.flush(rank) }))
	}
	return w.wrap("flush", rank, w.flush(rank))
}

func (w *Window) flush(rank int) error {
	err := w.member(rank)
	if state := w.access.Load(); err == nil && state != lockedAll {
		if state != locked || w.marks.get(rank) == 0 {
			err = w.noFlush()
		}
	}
	w.order()
	if err == nil && w.remote != nil {
		err = w.flushRemote(rank)
	}
	return err
}

// FlushAll is Flush for all targets.
func (w *Window) FlushAll() error { return w.calls(trace.WinFlush, "flush all", w.flushAll) }

func (w *Window) flushAll() error {
	var err error
	if state := w.access.Load(); state != lockedAll && state != locked {
		err = w.noFlush()
	}
	w.order()
	if err == nil {
		err = w.flushRemote()
	}
	return err
}

func (w *Window) noFlush() error {
	if w.freed() {
		return ErrFreed
	}
	return syncError("%s of a target that is not locked: call %s or %s first", "Flush", "Lock", "LockAll")
}

// order has the stores of this rank before it be seen before those after it. On amd64 they are.
func (w *Window) order() {
	if runtime.GOARCH != "amd64" {
		barrier()
	}
}

// Sync orders all loads and stores of this rank before it before those after it.
func (w *Window) Sync() error {
	if w.freed() {
		return w.wrap("sync", -1, ErrFreed)
	}
	barrier()
	return nil
}
