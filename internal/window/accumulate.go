package window

import "github.com/gopvas/gopvas/internal/comm"

// Accumulate has the elements of a place become what the operator makes of them and of those of a buffer of this rank.
func (w *Window) Accumulate(op Op, e *Element, from *comm.Buffer, to *Place) error {
	if w.watch != nil {
		return w.wrap("accumulate", to.Rank, w.operation(accumulate, true, to, func() error {
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
			w.operation(getAccumulate, op.Code != NoOp, at, func() error {
				return w.accumulate(op, e, from, result, at)
			}))
	}
	return w.wrap("get and accumulate", at.Rank, w.accumulate(op, e, from, result, at))
}

// FetchAndOp is GetAccumulate of one element, in one piece at each end.
func (w *Window) FetchAndOp(op Op, e *Element, from, result []byte, at *Place) error {
	if w.watch != nil {
		return w.wrap("fetch and op", at.Rank,
			w.operation(fetchAndOp, op.Code != NoOp, at, func() error {
				return w.fetchAndOp(op, e, from, result, at)
			}))
	}
	return w.wrap("fetch and op", at.Rank, w.fetchAndOp(op, e, from, result, at))
}

func (w *Window) fetchAndOp(op Op, e *Element, from, result []byte, at *Place) error {
	if at.Rank == comm.ProcNull {
		return nil
	}
	a, err := w.find(at)
	if err != nil {
		return err
	}
	if op.Code == NoOp || op.Code == Replace {
		w.reads(&a, e.Size)
	}
	if a.pid != elsewhere && w.isWord(a.addr, e) {
		if err := w.single(a.at, false); err != nil {
			return err
		}
		in := uint64(0)
		if op.Code != NoOp {
			in = load(from[:e.Size])
		}
		store(result[:e.Size], op.swap(a.addr, in, e))
		return nil
	}
	u := update{w: w, access: a, op: op, e: e, in: from, out: result}
	return u.all(at)
}

// CompareAndSwap puts an element in the place of one that is equal to another, and returns in result what was there.
func (w *Window) CompareAndSwap(e *Element, from, compare, result []byte, at *Place) error {
	if w.watch != nil {
		return w.wrap("compare and swap", at.Rank,
			w.operation(compareAndSwap, true, at, func() error {
				return w.compareAndSwap(e, from, compare, result, at)
			}))
	}
	return w.wrap("compare and swap", at.Rank, w.compareAndSwap(e, from, compare, result, at))
}

func (w *Window) compareAndSwap(e *Element, from, compare, result []byte, at *Place) error {
	if at.Rank == comm.ProcNull {
		return nil
	}
	a, err := w.find(at)
	if err != nil {
		return err
	}
	w.reads(&a, e.Size)
	u := update{w: w, access: a, e: e, in: from, out: result, compare: compare}
	return u.all(at)
}

func (w *Window) accumulate(op Op, e *Element, from, result *comm.Buffer, at *Place) error {
	if at.Rank == comm.ProcNull {
		return nil
	}
	a, err := w.find(at)
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
	u := update{w: w, access: a, op: op, e: e}
	if op.Code != NoOp {
		u.in = packed(from)
	}
	if result == nil {
		return u.all(at)
	}
	u.out = result.Bytes
	if result.Layout != nil {
		u.out = make([]byte, at.Bytes)
	}
	err = u.all(at)
	if err == nil && result.Layout != nil {
		result.Unpack(u.out, 0)
	}
	return err
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
