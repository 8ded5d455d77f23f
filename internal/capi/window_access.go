package capi

import (
	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/msg/window"
)

// vector is memory of the program: its address, its length and its type.
type vector struct {
	at    Address
	count int
	t     Type
}

// vector is the memory of a vector of this rank.
func (p *Process) vector(v vector) (comm.Buffer, *typeObject, error) {
	o, err := p.messageType(v.t)
	if err != nil {
		return comm.Buffer{}, nil, err
	}
	b, err := o.memory(v.at, v.count)
	return b, o, err
}

// place is where a vector lies in the memory of a target. An operation on MPI_PROC_NULL needs nothing else.
func (p *Process) place(rank, disp, count int, t Type) (at window.Place, o *typeObject, err error) {
	if at.Rank, err = peerIn(rank); err != nil {
		return at, nil, err
	}
	if o, err = p.messageType(t); err != nil {
		return at, nil, err
	}
	if at.Bytes, err = o.bytesOf(count); err != nil || at.Bytes == 0 {
		return at, o, err
	}
	at.Disp = disp
	if o.dense {
		return at, o, nil
	}
	l, err := o.times(count)
	if err != nil {
		return at, o, err
	}
	origin, ok := l.Contiguous()
	if at.First = int(origin); !ok {
		at.First, at.Layout = 0, l
	}
	return at, o, nil
}

// moved is a put or a get.
func (p *Process) moved(do func(*window.Window, *comm.Buffer, *window.Place) error, o *windowObject, here vector,
	rank, disp, count int, t Type) error {
	at, _, err := p.place(rank, disp, count, t)
	if err != nil || rank == PROC_NULL {
		return err
	}
	b, _, err := p.vector(here)
	if err != nil {
		return err
	}
	return do(o.w, &b, &at)
}

// Put is MPI_Put.
func (p *Process) Put(at Address, n int, t Type, rank, disp, count int, of Type, o *windowObject) error {
	return p.moved((*window.Window).Put, o, vector{at, n, t}, rank, disp, count, of)
}

// Get is MPI_Get.
func (p *Process) Get(at Address, n int, t Type, rank, disp, count int, of Type, o *windowObject) error {
	return p.moved((*window.Window).Get, o, vector{at, n, t}, rank, disp, count, of)
}

// Accumulate is MPI_Accumulate.
func (p *Process) Accumulate(at Address, n int, t Type, rank, disp, count int, of Type, op Op, o *windowObject) error {
	return p.accumulated(o, op, vector{at, n, t}, nil, rank, disp, count, of)
}

// Get_accumulate is MPI_Get_accumulate.
func (p *Process) Get_accumulate(at Address, n int, t Type, result Address, m int, rt Type, rank, disp, count int,
	of Type, op Op, o *windowObject) error {
	return p.accumulated(o, op, vector{at, n, t}, &vector{result, m, rt}, rank, disp, count, of)
}

// Those with a request are over when they return.

// Rput is MPI_Rput.
func (p *Process) Rput(at Address, n int, t Type, rank, disp, count int, of Type, o *windowObject,
	out Ptr[Request]) error {
	return requested(o, rank, out, func() error {
		return p.Put(at, n, t, rank, disp, count, of, o)
	})
}

// Rget is MPI_Rget.
func (p *Process) Rget(at Address, n int, t Type, rank, disp, count int, of Type, o *windowObject,
	out Ptr[Request]) error {
	return requested(o, rank, out, func() error {
		return p.Get(at, n, t, rank, disp, count, of, o)
	})
}

// Raccumulate is MPI_Raccumulate.
func (p *Process) Raccumulate(at Address, n int, t Type, rank, disp, count int, of Type, op Op, o *windowObject,
	out Ptr[Request]) error {
	return requested(o, rank, out, func() error {
		return p.Accumulate(at, n, t, rank, disp, count, of, op, o)
	})
}

// Rget_accumulate is MPI_Rget_accumulate.
func (p *Process) Rget_accumulate(at Address, n int, t Type, result Address, m int, rt Type, rank, disp, count int,
	of Type, op Op, o *windowObject, out Ptr[Request]) error {
	return requested(o, rank, out, func() error {
		return p.Get_accumulate(at, n, t, result, m, rt, rank, disp, count, of, op, o)
	})
}

// requested does an operation that has a request, and hands that out.
func requested(o *windowObject, rank int, out Ptr[Request], do func() error) error {
	var err error
	if rank != PROC_NULL {
		err = o.w.Passive(rank)
	}
	if err == nil {
		err = do()
	}
	if err != nil {
		out.Set(REQUEST_NULL) // for a program that goes on after an error
		return err
	}
	o.w.Completed(rank)
	out.Set(doneRequest)
	return nil
}

// accumulated is an accumulate; result is nil unless it gets what was there.
func (p *Process) accumulated(o *windowObject, op Op, from vector, result *vector, rank, disp, count int,
	t Type) error {
	at, target, err := p.place(rank, disp, count, t)
	if err != nil || rank == PROC_NULL {
		return err
	}
	if at.Bytes == 0 { // then the datatypes may be empty
		return o.w.Accumulate(window.Op{Code: window.NoOp}, nil, nil, &at)
	}
	by, e, err := p.update(op, target)
	if err != nil {
		return err
	}
	var in, out comm.Buffer
	if by.Code != window.NoOp || result == nil {
		if in, err = p.operand(from, e); err != nil {
			return err
		}
	}
	if result == nil {
		return o.w.Accumulate(by, e, &in, &at)
	}
	if out, err = p.operand(*result, e); err != nil {
		return err
	}
	return o.w.GetAccumulate(by, e, &in, &out, &at)
}

// operand is the memory of a vector of this rank whose elements are of a kind.
func (p *Process) operand(v vector, e *window.Element) (comm.Buffer, error) {
	b, o, err := p.vector(v)
	if err != nil {
		return b, err
	}
	of, err := o.accumulates()
	if err == nil && of != e && (of.Size != e.Size || of.Word != e.Word || of.Span != e.Span) {
		err = fail(ERR_TYPE, "elements of %s here, of another type at the target: accumulates take one predefined type",
			o.label())
	}
	return b, err
}

// Fetch_and_op is MPI_Fetch_and_op.
func (p *Process) Fetch_and_op(from, result Address, t Type, rank, disp int, op Op, o *windowObject) error {
	at, of, err := p.place(rank, disp, 1, t)
	if err != nil || rank == PROC_NULL {
		return err
	}
	if !of.predefined {
		return fail(ERR_TYPE, "%s is no predefined datatype", of.label())
	}
	by, e, err := p.update(op, of)
	if err != nil {
		return err
	}
	if !of.dense { // a pair
		return p.accumulated(o, op, vector{from, 1, t}, &vector{result, 1, t}, rank, disp, 1, t)
	}
	if by.Code == window.NoOp {
		from = result // which is not read
	}
	if err := cells(e.Size, from, result, result); err != nil {
		return err
	}
	return o.w.FetchAndOp(by, e, from.Bytes(e.Size), result.Bytes(e.Size), &at)
}

// Compare_and_swap is MPI_Compare_and_swap.
func (p *Process) Compare_and_swap(from, compare, result Address, t Type, rank, disp int, o *windowObject) error {
	at, of, err := p.place(rank, disp, 1, t)
	if err != nil || rank == PROC_NULL {
		return err
	}
	if !of.predefined || !of.traits.accumulated.Equal {
		return fail(ERR_TYPE, "%s cannot be compared: pass a predefined type of integers, bytes or logical values",
			of.label())
	}
	e := &of.traits.accumulated
	if err := cells(e.Size, from, compare, result); err != nil {
		return err
	}
	return o.w.CompareAndSwap(e, from.Bytes(e.Size), compare.Bytes(e.Size), result.Bytes(e.Size), &at)
}

// cells returns an error unless there is memory for an element at three addresses.
func cells(size int, from, compare, result Address) error {
	for _, at := range [...]Address{from, compare, result} {
		if at.nowhere() {
			return noBuffer(at, size)
		}
	}
	return nil
}

// update is the operator of a handle, for the elements of a type.
func (p *Process) update(op Op, t *typeObject) (by window.Op, e *window.Element, err error) {
	o, err := p.opOf(op)
	if err != nil {
		return by, nil, err
	}
	if !o.predefined {
		return by, nil, fail(ERR_OP, "%s cannot be used in accumulates: pass a predefined operator", o.name)
	}
	if e, err = t.accumulates(); err != nil {
		return by, nil, err
	}
	switch op {
	case REPLACE:
		return window.Op{Code: window.Replace}, e, nil
	case NO_OP:
		return window.Op{Code: window.NoOp}, e, nil
	}
	by.Code = o.code
	by.On, err = o.predefinedOn(t.basis())
	return by, e, err
}

// basis is the first predefined type that a type consists of.
func (o *typeObject) basis() *typeObject {
	for o.traits == nil && len(o.old) > 0 {
		next, numbers := o.old[0], o.Contents().Integers
		for i, old := range o.old {
			empty := len(o.old) > 1 && numbers[1+i] == 0 // of several in a struct, which has a length for each
			if old.Size() > 0 && !empty {
				next = old
				break
			}
		}
		o = next
	}
	return o
}

// accumulates is the element that accumulates see in a type: all that it consists of are of one predefined type.
func (o *typeObject) accumulates() (*window.Element, error) {
	if o.traits != nil {
		return &o.traits.accumulated, nil
	}
	first := o.basis()
	if first.traits != nil && o.Repeats(first.Type) {
		return &first.traits.accumulated, nil
	}
	return nil, fail(ERR_TYPE, "%s consists of different predefined types: accumulates take one", o.label())
}

// accumulatedElement is the element of a predefined type.
func accumulatedElement(t *datatype.Type, of *traits) (e window.Element) {
	e.Size = int(t.Size())
	if b := of.basic; b != nil {
		switch b.kind {
		case datatype.KindInteger, datatype.KindUnsigned, datatype.KindCharacter, datatype.KindLogical,
			datatype.KindByte:
			e.Word, e.Signed = b.size == 4 || b.size == 8, b.kind == datatype.KindInteger
			e.Equal = true
		}
		return e
	}
	_, span := t.TrueExtent()
	e.Span = int(span)
	if _, extent := t.Extent(); extent != t.Size() {
		e.Pair = t
	}
	return e
}
