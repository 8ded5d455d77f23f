package window

import (
	"runtime"

	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/msg/window/epoch"
	"github.com/gopvas/gopvas/trace"
)

// Epochs of passive targets: those of locks.

// Lock begins an access epoch to one target: alone, or beside others that do not lock it alone.
func (w *Window) Lock(alone bool, rank int, a Assert) error {
	if rank == comm.ProcNull {
		return nil
	}
	if w.watch != nil {
		return w.wrap("lock", rank, w.watch.Call(trace.WinLock, rank, func() error {
			if err := w.promised("Lock"); err != nil {
				return err
			}
			return w.lock(alone, rank, a)
		}))
	}
	return w.wrap("lock", rank, w.lock(alone, rank, a))
}

func (w *Window) lock(alone bool, rank int, a Assert) error {
	if err := w.member(rank); err != nil {
		return err
	}
	mark := epoch.Open
	if alone {
		mark |= epoch.Exclusive
	}
	if a&NoCheck != 0 {
		mark |= epoch.Unchecked
	}
	if err := w.epochs.Lock(rank, mark); err != nil {
		return err
	}
	var err error
	switch {
	case a&NoCheck != 0:
	case w.isRemote(rank):
		err = w.remote.Lock(rank, alone)
	default:
		err = w.words.Lock(rank, alone)
	}
	if err != nil {
		_, _ = w.epochs.Unlock(rank)
	}
	return err
}

// promised returns an error if calls, which are watched, are checked, and the program has promised to lock no target.
func (w *Window) promised(call epoch.Call) error {
	if !w.watch.Checks() || !w.hints.say(noLocks) {
		return nil
	}
	return epoch.Error("%s on a window with the hint no_locks", call)
}

// Unlock ends the epoch of Lock.
func (w *Window) Unlock(rank int) error {
	if rank == comm.ProcNull {
		return nil
	}
	if w.watch != nil {
		return w.wrap("unlock", rank, w.watch.Call(trace.WinUnlock, rank, func() error { return w.unlock(rank) }))
	}
	return w.wrap("unlock", rank, w.unlock(rank))
}

func (w *Window) unlock(rank int) error {
	if err := w.member(rank); err != nil {
		return err
	}
	mark, err := w.epochs.Unlock(rank)
	if err != nil {
		return err
	}
	alone, taken := mark&epoch.Exclusive != 0, mark&epoch.Unchecked == 0
	switch {
	case w.isRemote(rank) && taken:
		return w.remote.Unlock(rank, alone)
	case w.isRemote(rank):
		return w.remote.Flush(rank)
	case taken:
		w.words.Give(rank, w.me, alone)
	}
	return nil
}

// LockAll begins an access epoch to all targets, beside others that do not lock one alone. The lock of a target of
// another node is taken by the first operation on it.
func (w *Window) LockAll(a Assert) error {
	return w.call(trace.WinLock, "lock all", func() error {
		if w.watch != nil {
			if err := w.promised("LockAll"); err != nil {
				return err
			}
		}
		if err := w.epochs.LockAll(a&NoCheck != 0); err != nil || a&NoCheck != 0 {
			return err
		}
		first, end := w.me, w.me+1 // whose memory this rank may load and store without calls
		if w.flavor == Shared {
			first, end = 0, len(w.targets)
		}
		err := w.words.LockAll(first, end)
		if err != nil {
			w.epochs.Abandon()
		}
		return err
	})
}

// UnlockAll ends the epoch of LockAll.
func (w *Window) UnlockAll() error {
	return w.call(trace.WinUnlock, "unlock all", func() error {
		taken, err := w.epochs.UnlockAll()
		if err == nil && taken {
			w.words.UnlockAll()
		}
		if err == nil {
			err = w.remote.Disengage()
		}
		return err
	})
}

// Flush returns when all operations of this rank on a target are done there. Within a node they were when they
// returned: only the order of stores is to be kept.
func (w *Window) Flush(rank int) error {
	if rank == comm.ProcNull {
		return nil
	}
	if w.watch != nil {
		return w.wrap("flush", rank, w.watch.Call(trace.WinFlush, rank, func() error { return w.flush(rank) }))
	}
	return w.wrap("flush", rank, w.flush(rank))
}

func (w *Window) flush(rank int) error {
	err := w.member(rank)
	if err == nil {
		err = w.epochs.MayFlush(rank)
	}
	order()
	if err == nil {
		err = w.remote.Flush(rank)
	}
	return err
}

// FlushAll is Flush for all targets.
func (w *Window) FlushAll() error {
	return w.call(trace.WinFlush, "flush all", func() error {
		err := w.epochs.MayFlushAll()
		order()
		if err == nil {
			err = w.remote.FlushAll()
		}
		return err
	})
}

// order has the stores of this rank before it be seen before those after it. On amd64 they are.
func order() {
	if runtime.GOARCH != "amd64" {
		barrier()
	}
}

// Sync orders all loads and stores of this rank before it before those after it.
func (w *Window) Sync() error {
	if w.epochs.Freed() {
		return w.wrap("sync", -1, ErrFreed)
	}
	barrier()
	return nil
}

// Passive returns nil if the epoch of an operation on a rank is one of locks, or there is none: requests are for such
// epochs.
func (w *Window) Passive(rank int) error { return w.wrap("begin a request", rank, w.epochs.Passive()) }
