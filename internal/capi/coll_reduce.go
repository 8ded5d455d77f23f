package capi

import (
	"github.com/gopvas/gopvas/internal/msg/coll"
	"github.com/gopvas/gopvas/internal/msg/coll/order"
	"github.com/gopvas/gopvas/internal/msg/comm"
)

// reducing is a call that combines vectors: the operator, and what is done before and after
// with vectors that pass through a copy.
type reducing struct {
	reduction
	on    *communicator
	hooks coll.Hooks
}

// also adds f, which may be nil, to the function what.
func also(what *func(), f func()) {
	first := *what
	switch {
	case f == nil:
	case first == nil:
		*what = f
	default:
		*what = func() { first(); f() }
	}
}

// sent returns a vector that is sent.
func (r *reducing) sent(at Address, count int) ([]byte, error) {
	if err := notInPlace(at); err != nil {
		return nil, err
	}
	v, load, _, err := r.operand(at, count)
	also(&r.hooks.Before, load)
	return v, err
}

// received returns a vector that gets the result. kept says that it is sent too, or may be
// left as it is.
func (r *reducing) received(at Address, count int, kept bool) ([]byte, error) {
	if err := notInPlace(at); err != nil {
		return nil, err
	}
	v, load, store, err := r.operand(at, count)
	if kept {
		also(&r.hooks.Before, load)
	}
	also(&r.hooks.After, store)
	return v, err
}

// look looks at the operator of a call.
func (r *reducing) look(p *Process, op Op, t Type, on *communicator) (err error) {
	r.on = on
	r.reduction, err = p.reductionOf(op, t)
	return err
}

// Reduce is MPI_Reduce.
func (p *Process) Reduce(k *collective, send, recv Address, count int, t Type, op Op, root int, c Comm) error {
	on, err := k.rooted(p, coll.Reduce, root, c)
	if err != nil {
		return err
	}
	if root == PROC_NULL {
		return k.across(nil, nil)
	}
	var r reducing
	if err := r.look(p, op, t, on); err != nil {
		return err
	}
	if k.apart {
		return r.reduceAcross(k, send, recv, count, root)
	}
	return r.combine(k, send, recv, count, on.c.Rank() == root)
}

// combine completes a call of a kind that takes a vector and gives one as long, if it is wanted.
func (r *reducing) combine(k *collective, send, recv Address, count int, wanted bool) (err error) {
	a := &k.args
	a.Op, a.InPlace = r.op, wanted && (send == IN_PLACE || takesAliases && send == recv)
	a.Send.Of, a.Recv.Of = r.t.element, r.t.element
	if !a.InPlace {
		if a.Send.Data, err = r.sent(send, count); err != nil {
			return err
		}
	}
	if wanted {
		a.Recv.Data, err = r.received(recv, count, a.InPlace || a.Kind == coll.Exscan)
	}
	a.Hooks = r.hooks
	return err
}

// reduceAcross is Reduce over an intercommunicator.
func (r *reducing) reduceAcross(k *collective, send, recv Address, count, root int) error {
	if root == ROOT {
		v, err := r.received(recv, count, false)
		if err != nil {
			return err
		}
		return r.fold(k, nil, v, len(v), 0)
	}
	v, err := r.sent(send, count)
	if err != nil {
		return err
	}
	err = k.across(r.on.only(root, comm.Bytes(v)), nil)
	k.edges.Hooks = r.hooks
	return err
}

// fold sends a vector, unless it is nil, to each rank of the remote group. It combines the
// vectors of length bytes that come from there, in the order of package order. The result is what
// the combined vector has from the byte from on.
func (r *reducing) fold(k *collective, send, result []byte, length, from int) error {
	var out []comm.Buffer
	if send != nil {
		out = r.on.each(comm.Bytes(send))
	}
	in := make([]comm.Buffer, r.on.peers())
	for i := range in {
		in[i] = comm.Bytes(make([]byte, length))
	}
	err := k.across(out, in)
	op, store := r.op, r.hooks.After
	k.edges.Hooks = coll.Hooks{Before: r.hooks.Before, After: func() {
		if len(result) > 0 {
			vectors := make([][]byte, len(in))
			for i := range in {
				vectors[i] = in[i].Bytes[from:]
			}
			new(order.Evaluator).Reduce(op, result, vectors)
		}
		if store != nil {
			store()
		}
	}}
	return err
}

// Allreduce is MPI_Allreduce.
func (p *Process) Allreduce(k *collective, send, recv Address, count int, t Type, op Op, c Comm) error {
	on, err := k.of(p, coll.Allreduce, c)
	if err != nil {
		return err
	}
	var r reducing
	if err := r.look(p, op, t, on); err != nil {
		return err
	}
	if !k.apart {
		return r.combine(k, send, recv, count, true)
	}
	s, err := r.sent(send, count)
	if err != nil {
		return err
	}
	v, err := r.received(recv, count, false)
	if err != nil {
		return err
	}
	return r.fold(k, s, v, len(v), 0)
}

// scan is Scan and Exscan.
func (p *Process) scan(k *collective, kind coll.Kind, send, recv Address, count int, t Type, op Op, c Comm) error {
	on, err := p.intra(c)
	if err != nil {
		return err
	}
	if _, err = k.of(p, kind, c); err != nil {
		return err
	}
	var r reducing
	if err := r.look(p, op, t, on); err != nil {
		return err
	}
	first := kind == coll.Exscan && on.c.Rank() == 0 // it has no result
	return r.combine(k, send, recv, count, !first || send == IN_PLACE)
}
