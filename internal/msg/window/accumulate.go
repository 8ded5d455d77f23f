package window

import (
	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/msg/window/check"
	"github.com/gopvas/gopvas/internal/msg/window/update"
)

// What accumulates are given.
type (
	Element = update.Element
	Op      = update.Op
	Code    = update.Code
)

// Two operators that reductions do not have.
const (
	Replace = update.Replace
	NoOp    = update.NoOp
)

// Accumulate has the elements of a place become what the operator makes of them and of those of a buffer of this rank.
func (w *Window) Accumulate(op Op, e *Element, from *comm.Buffer, to *Place) error {
	if w.watch != nil {
		return w.wrap("accumulate", to.Rank, w.watched(check.Accumulate, true, to, func() error {
			return w.accumulate(op, e, from, nil, to)
		}))
	}
	return w.wrap("accumulate", to.Rank, w.accumulate(op, e, from, nil, to))
}

// GetAccumulate is Accumulate that copies what the elements were to a buffer of this rank. With NoOp it takes nothing
// from the other one.
func (w *Window) GetAccumulate(op Op, e *Element, from, result *comm.Buffer, at *Place) error {
	if w.watch != nil {
		return w.wrap("get and accumulate", at.Rank,
			w.watched(check.GetAccumulate, op.Code != NoOp, at, func() error {
				return w.accumulate(op, e, from, result, at)
			}))
	}
	return w.wrap("get and accumulate", at.Rank, w.accumulate(op, e, from, result, at))
}

// FetchAndOp is GetAccumulate of one element, in one piece at each end.
func (w *Window) FetchAndOp(op Op, e *Element, from, result []byte, at *Place) error {
	if w.watch != nil {
		return w.wrap("fetch and op", at.Rank,
			w.watched(check.FetchAndOp, op.Code != NoOp, at, func() error {
				return w.fetchAndOp(op, e, from, result, at)
			}))
	}
	return w.wrap("fetch and op", at.Rank, w.fetchAndOp(op, e, from, result, at))
}

// findFor finds a place for an operator.
func (w *Window) findFor(op Op, p *Place) (access, error) {
	if op.Code == NoOp {
		return w.find(p)
	}
	return w.findToWrite(p)
}

func (w *Window) fetchAndOp(op Op, e *Element, from, result []byte, at *Place) error {
	if at.Rank == comm.ProcNull {
		return nil
	}
	a, err := w.findFor(op, at)
	if err != nil {
		return err
	}
	if op.Code == NoOp || op.Code == Replace {
		w.reads(&a, e.Size)
	}
	if a.pid != elsewhere && e.IsWord(a.addr, w.far) {
		if err := w.words.Single(a.at, false); err != nil {
			return err
		}
		in := uint64(0)
		if op.Code != NoOp {
			in = update.Load(from[:e.Size])
		}
		update.Store(result[:e.Size], op.Swap(a.addr, in, e))
		return nil
	}
	return w.update(&a, at, &update.Update{Op: op, E: e, In: from, Out: result})
}

// CompareAndSwap puts an element in the place of one that is equal to another, and returns in result what was there.
func (w *Window) CompareAndSwap(e *Element, from, compare, result []byte, at *Place) error {
	if w.watch != nil {
		return w.wrap("compare and swap", at.Rank,
			w.watched(check.CompareAndSwap, true, at, func() error {
				return w.compareAndSwap(e, from, compare, result, at)
			}))
	}
	return w.wrap("compare and swap", at.Rank, w.compareAndSwap(e, from, compare, result, at))
}

func (w *Window) compareAndSwap(e *Element, from, compare, result []byte, at *Place) error {
	if at.Rank == comm.ProcNull {
		return nil
	}
	a, err := w.findToWrite(at)
	if err != nil {
		return err
	}
	w.reads(&a, e.Size)
	return w.update(&a, at, &update.Update{E: e, In: from, Out: result, Compare: compare})
}

func (w *Window) accumulate(op Op, e *Element, from, result *comm.Buffer, at *Place) error {
	if at.Rank == comm.ProcNull {
		return nil
	}
	a, err := w.findFor(op, at)
	switch {
	case err != nil:
		return err
	case op.Code != NoOp && from.Len() != at.Bytes:
		return unequal(from.Len(), at.Bytes)
	case result != nil && result.Len() != at.Bytes:
		return unequal(result.Len(), at.Bytes)
	case at.Bytes == 0:
		return nil
	}
	u := update.Update{Op: op, E: e}
	if op.Code != NoOp {
		u.In = packed(from)
	}
	if result == nil {
		return w.update(&a, at, &u)
	}
	u.Out = result.Bytes
	if result.Layout != nil {
		u.Out = make([]byte, at.Bytes)
	}
	err = w.update(&a, at, &u)
	if err == nil && result.Layout != nil {
		result.Unpack(u.Out, 0)
	}
	return err
}

// update does an accumulate at a place.
func (w *Window) update(a *access, p *Place, u *update.Update) error {
	if a.pid == elsewhere {
		at := a.remote(p)
		err := w.engage(a.rank)
		if err == nil {
			err = w.remote.Update(u, &at)
		}
		return err
	}
	u.Words = &w.words
	u.Place = update.Place{Addr: a.addr, At: a.at, Salt: a.salt, Far: w.far}
	if a.pid == 0 {
		return u.Do(p.Layout, p.Bytes)
	}
	u.Process = w.node.processOf(a.rank)
	return reached(u.Do(p.Layout, p.Bytes))
}

// packed is the stream of a buffer in one piece.
func packed(b *comm.Buffer) []byte {
	if b.Layout == nil {
		return b.Bytes
	}
	stream := make([]byte, b.Len())
	b.Pack(stream, 0)
	return stream
}
