package window

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/comm"
	"github.com/gopvas/gopvas/internal/reach"
	"github.com/gopvas/gopvas/mpi/fault"
)

// Put copies a buffer of this rank to a place.
func (w *Window) Put(from *comm.Buffer, to *Place) error {
	if w.watch != nil {
		return w.wrap("put", to.Rank, w.operation(put, true, to, func() error {
			return w.move(from, to, true)
		}))
	}
	return w.wrap("put", to.Rank, w.move(from, to, true))
}

// Get copies a place to a buffer of this rank.
func (w *Window) Get(to *comm.Buffer, from *Place) error {
	if w.watch != nil {
		return w.wrap("get", from.Rank, w.operation(get, false, from, func() error {
			return w.move(to, from, false)
		}))
	}
	return w.wrap("get", from.Rank, w.move(to, from, false))
}

func (w *Window) move(b *comm.Buffer, p *Place, write bool) error {
	if p.Rank == comm.ProcNull {
		return nil
	}
	a, err := w.find(p)
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
		return w.moveElsewhere(b, a, p, write)
	}
	there := reach.Memory{Process: w.processOf(a.rank), Base: a.addr, Layout: p.Layout}
	move := there.Load
	if write {
		move = there.Store
	}
	if b.Layout == nil {
		return w.reached(a.rank, move(b.Bytes, 0))
	}
	stage := make([]byte, min(staged, p.Bytes))
	for done := 0; done < p.Bytes; {
		part := stage[:min(len(stage), p.Bytes-done)]
		if write {
			b.Pack(part, done)
		}
		if err := move(part, int64(done)); err != nil {
			return w.reached(a.rank, err)
		}
		if !write {
			b.Unpack(part, done)
		}
		done += len(part)
	}
	return nil
}

// processOf is the process of a rank of the node; nil: its memory can be addressed.
func (w *Window) processOf(rank int) *reach.Process {
	if !w.far {
		return nil
	}
	i, _ := w.placeOf(rank)
	return w.processes[i]
}

// reached is the error of a copy to or from the process of a rank.
func (w *Window) reached(rank int, err error) error {
	switch {
	case errors.Is(err, syscall.ESRCH):
		return &fault.LostError{Rank: comm.JobRank(w.own, rank)}
	case errors.Is(err, syscall.EFAULT):
		return errors.Join(ErrRange, err)
	}
	return err
}
