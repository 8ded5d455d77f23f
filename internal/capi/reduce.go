package capi

import (
	"math"
	"runtime"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/msg/coll"
	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// Vectors that are reduced. Package coll takes them as elements of one size without gaps
// between, and cuts them at any element. Where the elements of a type lie otherwise, they are
// reduced in a copy, the image. In the image no elements overlap. Each is laid out as in the
// program, because a function of the program looks at it there.

// reduction is an operator on elements of a type.
type reduction struct {
	op    *coll.Op
	t     *typeObject
	image *datatype.Type // nil: vectors are reduced where they lie
	user  *userFunction  // nil: the operator is predefined
}

// reductionOf is the operator of a handle for elements of a type.
func (p *Process) reductionOf(op Op, t Type) (reduction, error) {
	o, err := p.opOf(op)
	if err != nil {
		return reduction{}, err
	}
	of, err := p.messageType(t)
	if err != nil {
		return reduction{}, err
	}
	if o.predefined {
		c, err := o.predefinedOn(of)
		return reduction{op: c, t: of}, err
	}
	return o.userOn(of, t)
}

// userOn makes an operator of a function of the program. It is made once for calls with the same
// type.
func (o *opObject) userOn(of *typeObject, t Type) (reduction, error) {
	if r := o.made.Load(); r != nil && r.t == of && r.user.t == t {
		return *r, nil
	}
	r := reduction{t: of}
	_, extent := of.Extent()
	trueLB, span := of.TrueExtent()
	unit := extent
	if !of.dense && (extent < span || extent > 2*span) { // elements overlap, or have much between them
		unit = (span + 15) &^ 15 // the strictest alignment
	}
	if !of.dense {
		var err error
		if r.image, err = datatype.Resized(of.Type, 0, max(unit, 1)); err != nil {
			return reduction{}, err
		}
	}
	r.user = &userFunction{function: o.function, argument: o.argument, t: t, of: of,
		unit: int(max(unit, 1)), lb: trueLB, single: unit != extent}
	r.op = &coll.Op{Size: r.user.unit, Commutative: o.commutes, Apply: r.user.apply}
	o.made.Store(&r)
	return r, nil
}

// userFunction is a function of the program as an operator. It has no name (coll.Op.Name), so
// that no rank calls the function of another: each rank calls its own, for its own operation
// or for a part of one of all, and C sees only threads of its own.
type userFunction struct {
	function Func
	argument uintptr // one more, unless it is 0
	t        Type
	of       *typeObject // what t stood for when the operation began
	unit     int         // bytes from element to element
	lb       int64       // displacement of the first byte of an element
	single   bool        // elements lie apart otherwise than in an array of the type
}

// operate calls a function of the program within a collective operation. The calls of that function go the unusual
// way, where they may be refused; each has its error handler.
func operate(f func()) {
	usual := process.usual.Swap(false)
	defer process.usual.Store(usual)
	_ = comm.Operate(f)
}

// apply sets inout[i] = inout[i] op in[i]. A function of the program sets its second operand
// to its first op its second. The operands of one that commutes keep their places, too, for the sake of the bits.
func (f *userFunction) apply(inout, in []byte) {
	operate(func() {
		result := make([]byte, len(in))
		copy(result, in)
		f.call(inout, result)
		copy(inout, result)
	})
}

func (f *userFunction) call(in, inout []byte) {
	n := len(inout) / f.unit
	step := n
	if f.single {
		step = 1
	} else if !f.function.Large {
		step = min(n, math.MaxInt32)
	}
	for at := 0; at < n; at += step {
		i := at * f.unit
		f.upcall(in[i:], inout[i:], min(step, n-at))
	}
}

// upcall calls the function. What it gets pointers to is on the heap, which does not move. If the program has freed the
// datatype since the operation began, the function gets another handle of it, for the time of the call.
func (f *userFunction) upcall(in, inout []byte, n int) {
	t := uintptr(f.t)
	if !f.of.predefined && types.get(t) != f.of {
		if h := types.add(f.of); h != 0 {
			t = h
			f.of.tellSize(t)
			defer types.remove(t)
			defer forgetSize(t)
		}
	}
	words := make([]byte, 16) // the count and the datatype
	length, handle := sys.HeapAddr(words), sys.HeapAddr(words[8:])
	storeInt(length, n, f.function.Large)
	storeWord(handle, f.function.shown(t))
	Upcall(f.function.Entry,
		[]uintptr{sys.HeapAddr(in) - uintptr(f.lb), sys.HeapAddr(inout) - uintptr(f.lb), length, handle, f.argument})
	runtime.KeepAlive(words)
	runtime.KeepAlive(in)
	runtime.KeepAlive(inout)
}

// operand is a vector of count elements of the program, as coll takes it. If load is not nil
// the vector is a copy: load fetches the elements, and store puts them back.
func (r *reduction) operand(at Address, count int) (vector []byte, load, store func(), err error) {
	n, err := r.t.bytesOf(count)
	if err != nil || n == 0 {
		return nil, nil, nil, err
	}
	if r.image == nil {
		_, extent := r.t.Extent() // of a pair it is more than the size
		if at.nowhere() {
			return nil, nil, nil, noBuffer(at, n)
		}
		if n, err = product(count, int(extent)); err != nil {
			return nil, nil, nil, err
		}
		return at.Bytes(n), nil, nil, nil
	}
	user, err := r.t.memory(at, count)
	if err != nil {
		return nil, nil, nil, err
	}
	layout, err := r.image.Times(int64(count))
	if err != nil {
		return nil, nil, nil, err
	}
	if vector, err = room(count, r.op.Size); err != nil {
		return nil, nil, nil, err
	}
	trueLB, _ := r.t.TrueExtent()
	image := comm.Buffer{Bytes: vector, Layout: &layout, Base: sys.HeapAddr(vector) - uintptr(trueLB)}
	load = func() { btl.Copy(&image, &user, 0, n) }
	store = func() { btl.Copy(&user, &image, 0, n) }
	return vector, load, store, nil
}

// Reduce_local is MPI_Reduce_local.
func (p *Process) Reduce_local(inbuf, inoutbuf Address, count int, t Type, op Op) error {
	r, err := p.reductionOf(op, t)
	if err != nil {
		return err
	}
	if inbuf == IN_PLACE || inoutbuf == IN_PLACE {
		return fail(ERR_BUFFER, "MPI_IN_PLACE is of no meaning here: give both operands")
	}
	if inbuf == inoutbuf && count > 0 {
		return fail(ERR_BUFFER, "both operands are the same buffer: give two")
	}
	in, load, _, err := r.operand(inbuf, count)
	if err != nil {
		return err
	}
	inout, loadInout, store, err := r.operand(inoutbuf, count)
	if err != nil || len(inout) == 0 {
		return err
	}
	if load != nil {
		load()
		loadInout()
		defer store()
	}
	if r.user != nil {
		r.user.call(in, inout)
	} else {
		r.op.Apply(inout, in)
	}
	return nil
}
