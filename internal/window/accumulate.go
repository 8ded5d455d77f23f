package window

import (
	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/coll/operator"
	"github.com/gopvas/gopvas/internal/comm"
	"github.com/gopvas/gopvas/internal/reach"
	"github.com/gopvas/gopvas/internal/sys"
)

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
	if a.pid != elsewhere && w.isWord(a.addr, e) {
		exchangeBytes(a.addr, from[:e.Size], compare[:e.Size], result[:e.Size])
		return nil
	}
	u := update{w: w, access: a, e: e, in: from, out: result, compare: compare}
	return u.all(at)
}

// exchangeBytes is CompareAndSwap of a word.
func exchangeBytes(addr uintptr, from, compare, result []byte) {
	store(result, exchange(addr, load(compare), load(from), len(from)))
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

// update is an accumulate under way.
type update struct {
	w *Window
	access
	op      Op
	e       *Element
	in, out []byte // streams; nil: none
	compare []byte // of CompareAndSwap; nil: of others
	alone   bool   // no other rank accesses the target
	aside   bool   // it is for a rank of another node
	stage   []byte // of memory that is far
}

// all updates all elements.
func (u *update) all(p *Place) error {
	mark := u.w.marks.get(p.Rank)
	u.alone = mark&(exclusive|unchecked) == exclusive
	switch {
	case u.pid == elsewhere:
		return u.ask(p)
	case u.e.Pair != nil:
		return u.pairs(p)
	}
	if p.Layout == nil {
		return u.run(0, 0, p.Bytes)
	}
	var list [256]datatype.Segment
	for done := 0; done < p.Bytes; {
		n, _ := datatype.Segments(list[:], p.Layout, 0, int64(done))
		for left := list[:n]; len(left) > 0; {
			k, bytes := u.together(left)
			var err error
			if k > 1 {
				err = u.scattered(p.Layout, left[0].Addr, done, bytes)
			} else {
				err = u.run(left[0].Addr, done, bytes)
			}
			if err != nil {
				return err
			}
			left, done = left[k:], done+bytes
		}
	}
	return nil
}

// together is how many of some segments are updated under one lock, and their bytes. Where each costs two system calls
// these are as many as lie in a stripe, in the order of their addresses.
func (u *update) together(list []datatype.Segment) (n, bytes int) {
	end, last := stripeEnd(u.at+list[0].Addr), list[0].Addr
	for _, s := range list {
		if n > 0 && (u.pid == 0 || s.Addr < last || u.at+s.Addr+uintptr(s.Len) > end) {
			break
		}
		n, bytes, last = n+1, bytes+int(s.Len), s.Addr+uintptr(s.Len)
	}
	return n, bytes
}

// scattered updates elements of a stripe of far memory that do not follow one another: n bytes, from a place of the
// streams on. The first one has an offset of the place.
func (u *update) scattered(l *datatype.Layout, offset uintptr, from, n int) error {
	there := reach.Memory{PID: u.pid, Base: u.addr, Layout: l}
	return u.locked(u.at+offset, func() error { return u.inCopy(&there, int64(from), from, n) })
}

// run updates elements that follow one another: those from an offset of the place on, which are from a place of the
// streams on.
func (u *update) run(offset uintptr, from, n int) error {
	if !u.alone && u.w.isWord(u.addr+offset, u.e) {
		u.words(u.addr+offset, from, n)
		return nil
	}
	for n > 0 {
		at := u.at + offset
		k := min(n, roundUp(int(stripeEnd(at)-at), u.e.Size))
		if err := u.locked(at, func() error { return u.piece(u.addr+offset, from, k) }); err != nil {
			return err
		}
		offset, from, n = offset+uintptr(k), from+k, n-k
	}
	return nil
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }

// words updates words by instructions.
func (u *update) words(addr uintptr, from, n int) {
	size := u.e.Size
	if u.op.Code == operator.Sum && u.out == nil {
		add(addr, u.in[from:from+n], size)
		return
	}
	for i := from; i < from+n; i += size {
		in := uint64(0)
		if u.in != nil {
			in = load(u.in[i : i+size])
		}
		old := u.op.swap(addr, in, u.e)
		if u.out != nil {
			store(u.out[i:i+size], old)
		}
		addr += uintptr(size)
	}
}

// locked does something under the lock of a stripe, unless no other rank can be at it.
func (u *update) locked(at uintptr, do func() error) error {
	if u.alone {
		return do()
	}
	s, err := u.w.enter(at, u.aside)
	if err != nil {
		return err
	}
	err = do()
	u.w.leave(s)
	return err
}

// piece updates n bytes of elements by plain code, or in a copy if they are far.
func (u *update) piece(addr uintptr, from, n int) error {
	if u.pid == 0 {
		u.apply(memoryAt(addr, n), from)
		return nil
	}
	return u.inCopy(&reach.Memory{PID: u.pid, Base: addr}, 0, from, n)
}

// inCopy updates n bytes of elements of far memory, from an offset of that on, in a copy.
func (u *update) inCopy(there *reach.Memory, offset int64, from, n int) error {
	if len(u.stage) < n {
		u.stage = make([]byte, n)
	}
	copied := u.stage[:n]
	err := there.Load(copied, offset)
	if err == nil && u.apply(copied, from) {
		err = there.Store(copied, offset)
	}
	return u.w.reached(u.rank, err)
}

// apply updates elements, which are from a place of the streams on. It tells whether they may have changed.
func (u *update) apply(elements []byte, from int) bool {
	n := len(elements)
	if u.out != nil {
		copy(u.out[from:from+n], elements)
	}
	switch {
	case u.compare != nil:
		if string(elements) != string(u.compare[:n]) {
			return false
		}
		copy(elements, u.in)
	case u.op.Code == NoOp:
		return false
	case u.op.Code == Replace:
		copy(elements, u.in[from:from+n])
	default:
		u.op.On.Apply(elements, u.in[from:from+n])
	}
	return true
}

// pairs updates pairs one by one.
func (u *update) pairs(p *Place) error {
	for from := 0; from < p.Bytes; from += u.e.Size {
		if err := u.pair(pairAt(p, from), from); err != nil {
			return err
		}
	}
	return nil
}

// pairAt is where the pair from a place of the stream on begins.
func pairAt(p *Place, from int) uintptr {
	if p.Layout == nil {
		return uintptr(from)
	}
	var first [1]datatype.Segment
	datatype.Segments(first[:], p.Layout, 0, int64(from))
	return first[0].Addr
}

// pair updates a pair in a copy that is laid out as C does it. What lies between its parts at the target stays.
func (u *update) pair(offset uintptr, from int) error {
	size, unit := u.e.Size, u.e.Size
	if u.op.On != nil {
		unit = u.op.On.Size
	}
	room := max(unit, u.e.Span)
	if len(u.stage) == 0 {
		u.stage = make([]byte, 2*room+size)
	}
	old, in, stream := u.stage[:room], u.stage[room:2*room], u.stage[2*room:]
	return u.locked(u.at+offset, func() error {
		there := reach.Memory{PID: u.pid, Base: u.addr + offset, Layout: u.e.Pair}
		if err := u.fetch(&there, stream); err != nil {
			return err
		}
		if u.out != nil {
			copy(u.out[from:], stream)
		}
		switch u.op.Code {
		case NoOp:
			return nil
		case Replace:
			copy(stream, u.in[from:])
		default:
			datatype.Unpack(stream, u.e.Pair, sys.HeapAddr(old), 0)
			datatype.Unpack(u.in[from:from+size], u.e.Pair, sys.HeapAddr(in), 0)
			u.op.On.Apply(old[:unit], in[:unit])
			datatype.Pack(stream, u.e.Pair, sys.HeapAddr(old), 0)
		}
		return u.put(&there, stream)
	})
}

// fetch copies a pair from its memory, and put copies it there.
func (u *update) fetch(there *reach.Memory, stream []byte) error {
	if there.PID != 0 {
		return u.w.reached(u.rank, there.Load(stream, 0))
	}
	datatype.Pack(stream, there.Layout, there.Base, 0)
	return nil
}

func (u *update) put(there *reach.Memory, stream []byte) error {
	if there.PID != 0 {
		return u.w.reached(u.rank, there.Store(stream, 0))
	}
	datatype.Unpack(stream, there.Layout, there.Base, 0)
	return nil
}
