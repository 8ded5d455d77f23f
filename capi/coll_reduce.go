package capi

import (
	"github.com/gopvas/gopvas/coll"
	"github.com/gopvas/gopvas/comm"
)

// reducing is a call that combines vectors: the operator, and what is done before and after
// with vectors that pass through a copy.
type reducing struct {
	reduction
	p     *Process
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

// reducing looks at the operator of a call.
func (p *Process) reducing(op Op, t Type, on *communicator, err error) (*reducing, error) {
	if err != nil {
		return nil, err
	}
	r, err := p.reductionOf(op, t)
	return &reducing{reduction: r, p: p, on: on}, err
}

// reduce is Reduce.
func (p *Process) reduce(send, recv Address, count int, t Type, op Op, root int, c Comm) *collective {
	on, err := p.rooted(c, root)
	r, err := p.reducing(op, t, on, err)
	if err != nil {
		return failed(err)
	}
	if on.inter() {
		return r.reduceAcross(send, recv, count, root)
	}
	isRoot := on.c.Rank() == root
	return r.combine(coll.Reduce, root, send, recv, count, isRoot)
}

// combine makes a call of a kind that takes a vector and gives one as long, if it is wanted.
func (r *reducing) combine(kind coll.Kind, root int, send, recv Address, count int, wanted bool) *collective {
	a := coll.Args{Kind: kind, Root: root, Op: r.op, InPlace: wanted && send == IN_PLACE}
	var err error
	if !a.InPlace {
		if a.Send.Data, err = r.sent(send, count); err != nil {
			return failed(err)
		}
	}
	if wanted {
		if a.Recv.Data, err = r.received(recv, count, a.InPlace || kind == coll.Exscan); err != nil {
			return failed(err)
		}
	}
	a.Hooks = r.hooks
	return &collective{on: r.on, name: kind.String(), args: a}
}

// reduceAcross is Reduce over an intercommunicator.
func (r *reducing) reduceAcross(send, recv Address, count, root int) *collective {
	switch root {
	case PROC_NULL:
		return r.on.across("reduce", nil, nil)
	case ROOT:
		v, err := r.received(recv, count, false)
		if err != nil {
			return failed(err)
		}
		return r.fold("reduce", nil, v, len(v), 0)
	}
	v, err := r.sent(send, count)
	if err != nil {
		return failed(err)
	}
	k := r.on.across("reduce", r.on.only(root, comm.Bytes(v)), nil)
	k.edges.Hooks = r.hooks
	return k
}

// fold sends a vector, unless it is nil, to each rank of the remote group. It combines the
// vectors of length bytes that come from there, in the order of the ranks. The result is what
// the combined vector has from the byte from on.
func (r *reducing) fold(name string, send, result []byte, length, from int) *collective {
	var out []comm.Buffer
	if send != nil {
		out = r.on.each(comm.Bytes(send))
	}
	in := make([]comm.Buffer, r.on.peers())
	for i := range in {
		in[i] = comm.Bytes(make([]byte, length))
	}
	k := r.on.across(name, out, in)
	store := r.hooks.After
	k.edges.Hooks = coll.Hooks{Before: r.hooks.Before, After: func() {
		if len(result) > 0 {
			copy(result, in[0].Bytes[from:])
			for _, b := range in[1:] {
				r.op.Apply(result, b.Bytes[from:][:len(result)])
			}
		}
		if store != nil {
			store()
		}
	}}
	return k
}

// Reduce is MPI_Reduce.
func (p *Process) Reduce(send, recv Address, count int, t Type, op Op, root int, c Comm) error {
	return p.reduce(send, recv, count, t, op, root, c).run()
}

// Ireduce is MPI_Ireduce.
func (p *Process) Ireduce(send, recv Address, count int, t Type, op Op, root int, c Comm, r Ptr[Request]) error {
	return p.reduce(send, recv, count, t, op, root, c).begin(p, r)
}

// Reduce_init is MPI_Reduce_init.
func (p *Process) Reduce_init(send, recv Address, count int, t Type, op Op, root int, c Comm, info Info, r Ptr[Request]) error {
	return p.reduce(send, recv, count, t, op, root, c).prepare(p, info, r)
}

// allreduce is Allreduce.
func (p *Process) allreduce(send, recv Address, count int, t Type, op Op, c Comm) *collective {
	on, err := p.comm(c)
	r, err := p.reducing(op, t, on, err)
	if err != nil {
		return failed(err)
	}
	if !on.inter() {
		return r.combine(coll.Allreduce, 0, send, recv, count, true)
	}
	s, err := r.sent(send, count)
	if err != nil {
		return failed(err)
	}
	v, err := r.received(recv, count, false)
	if err != nil {
		return failed(err)
	}
	return r.fold("allreduce", s, v, len(v), 0)
}

// Allreduce is MPI_Allreduce.
func (p *Process) Allreduce(send, recv Address, count int, t Type, op Op, c Comm) error {
	return p.allreduce(send, recv, count, t, op, c).run()
}

// Iallreduce is MPI_Iallreduce.
func (p *Process) Iallreduce(send, recv Address, count int, t Type, op Op, c Comm, r Ptr[Request]) error {
	return p.allreduce(send, recv, count, t, op, c).begin(p, r)
}

// Allreduce_init is MPI_Allreduce_init.
func (p *Process) Allreduce_init(send, recv Address, count int, t Type, op Op, c Comm, info Info, r Ptr[Request]) error {
	return p.allreduce(send, recv, count, t, op, c).prepare(p, info, r)
}

// scan is Scan and Exscan.
func (p *Process) scan(kind coll.Kind, send, recv Address, count int, t Type, op Op, c Comm) *collective {
	on, err := p.intra(c)
	r, err := p.reducing(op, t, on, err)
	if err != nil {
		return failed(err)
	}
	return r.combine(kind, 0, send, recv, count, true)
}

// Scan is MPI_Scan.
func (p *Process) Scan(send, recv Address, count int, t Type, op Op, c Comm) error {
	return p.scan(coll.Scan, send, recv, count, t, op, c).run()
}

// Iscan is MPI_Iscan.
func (p *Process) Iscan(send, recv Address, count int, t Type, op Op, c Comm, r Ptr[Request]) error {
	return p.scan(coll.Scan, send, recv, count, t, op, c).begin(p, r)
}

// Scan_init is MPI_Scan_init.
func (p *Process) Scan_init(send, recv Address, count int, t Type, op Op, c Comm, info Info, r Ptr[Request]) error {
	return p.scan(coll.Scan, send, recv, count, t, op, c).prepare(p, info, r)
}

// Exscan is MPI_Exscan.
func (p *Process) Exscan(send, recv Address, count int, t Type, op Op, c Comm) error {
	return p.scan(coll.Exscan, send, recv, count, t, op, c).run()
}

// Iexscan is MPI_Iexscan.
func (p *Process) Iexscan(send, recv Address, count int, t Type, op Op, c Comm, r Ptr[Request]) error {
	return p.scan(coll.Exscan, send, recv, count, t, op, c).begin(p, r)
}

// Exscan_init is MPI_Exscan_init.
func (p *Process) Exscan_init(send, recv Address, count int, t Type, op Op, c Comm, info Info, r Ptr[Request]) error {
	return p.scan(coll.Exscan, send, recv, count, t, op, c).prepare(p, info, r)
}
