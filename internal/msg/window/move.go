package window

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/msg/reach"
	"github.com/gopvas/gopvas/internal/msg/window/check"
	"github.com/gopvas/gopvas/internal/msg/window/remote"
)

// Put copies a buffer of this rank to a place.
func (w *Window) Put(from *comm.Buffer, to *Place) error {
	if w.watch != nil {
		return w.wrap("put", to.Rank, w.watched(check.Put, true, to, func() error {
			return w.move(from, to, true)
		}))
	}
	return w.wrap("put", to.Rank, w.move(from, to, true))
}

// Get copies a place to a buffer of this rank.
func (w *Window) Get(to *comm.Buffer, from *Place) error {
	if w.watch != nil {
		return w.wrap("get", from.Rank, w.watched(check.Get, false, from, func() error {
			return w.move(to, from, false)
		}))
	}
	return w.wrap("get", from.Rank, w.move(to, from, false))
}

func (w *Window) move(b *comm.Buffer, p *Place, write bool) error {
	if p.Rank == comm.ProcNull {
		return nil
	}
	var a access
	var err error
	if write { // a call by a variable would move the place to the heap
		a, err = w.findToWrite(p)
	} else {
		a, err = w.find(p)
	}
	switch {
	case err != nil:
		return err
	case b.Len() != p.Bytes:
		return unequal(b.Len(), p.Bytes)
	case p.Bytes == 0:
		return nil
	}
	if !write {
		w.reads(&a, p.Bytes)
	}
	if a.pid != 0 {
		return w.moveFar(b, &a, p, write)
	}
	memory := a.memory(p)
	if write {
		btl.Copy(&memory, b, 0, p.Bytes)
	} else {
		btl.Copy(b, &memory, 0, p.Bytes)
	}
	return nil
}

func unequal(here, there int) error {
	return fmt.Errorf("%w: %d bytes here, %d at the target", ErrLength, here, there)
}

// staged is how much of a buffer with a layout is copied to memory of another process at a time.
const staged = 1 << 20

// moveFar is move to or from memory of another process.
func (w *Window) moveFar(b *comm.Buffer, a *access, p *Place, write bool) error {
	if a.pid == elsewhere {
		if err := w.engage(a.rank); err != nil {
			return err
		}
		at := a.remote(p)
		if write {
			return w.remote.Put(b, &at)
		}
		return w.remote.Get(b, &at)
	}
	there := reach.Memory{Process: w.node.processOf(a.rank), Base: a.addr, Layout: p.Layout}
	move := there.Load
	if write {
		move = there.Store
	}
	if b.Layout == nil {
		return reached(move(b.Bytes, 0))
	}
	stage := make([]byte, min(staged, p.Bytes))
	for done := 0; done < p.Bytes; {
		part := stage[:min(len(stage), p.Bytes-done)]
		if write {
			b.Pack(part, done)
		}
		if err := move(part, int64(done)); err != nil {
			return reached(err)
		}
		if !write {
			b.Unpack(part, done)
		}
		done += len(part)
	}
	return nil
}

// engage takes the lock of a target of another node, if this rank has that of all.
func (w *Window) engage(rank int) error {
	if !w.epochs.HoldsAll() {
		return nil
	}
	return w.remote.Engage(rank)
}

// remote is a place on another node, as requests name it.
func (a *access) remote(p *Place) remote.Place {
	return remote.Place{Rank: a.rank, Offset: a.addr, Layout: p.Layout, Bytes: p.Bytes}
}

// reached is the error of a copy to or from the process of a rank.
func reached(err error) error {
	if errors.Is(err, syscall.EFAULT) {
		return errors.Join(ErrRange, err)
	}
	return err
}
