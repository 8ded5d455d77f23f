package window

import (
	"sync"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/coll/operator"
	"github.com/gopvas/gopvas/internal/reach"
	"github.com/gopvas/gopvas/internal/sys"
)

// update is an accumulate under way. See stripe.go for what is atomic, and why.
type update struct {
	w *Window
	access
	op      Op
	e       *Element
	in, out []byte // streams; nil: none
	compare []byte // of CompareAndSwap; nil: of others
	aside   bool   // it is for a rank of another node
}

// all updates all elements.
func (u *update) all(p *Place) error {
	switch {
	case u.pid == elsewhere:
		return u.ask(p)
	case u.e.Pair != nil:
		return u.pairs(0, p.Layout, 0, p.Bytes)
	case p.Layout == nil:
		return u.run(0, 0, p.Bytes)
	}
	var list [256]datatype.Segment
	for done := 0; done < p.Bytes; {
		n, _ := datatype.Segments(list[:], p.Layout, 0, int64(done))
		for left := list[:n]; len(left) > 0; {
			k, bytes := u.together(left)
			var err error
			if k > 1 {
				err = u.scattered(p.Layout, left[:k], done, bytes)
			} else {
				err = u.stripes(left[0].Addr, done, bytes)
			}
			if err != nil {
				return err
			}
			left, done = left[k:], done+bytes
		}
	}
	return nil
}

// together is how many of some segments are updated under one lock, and their bytes: as many as lie in a stripe, in the
// order of their addresses.
func (u *update) together(list []datatype.Segment) (n, bytes int) {
	end, last := stripeEnd(u.at+list[0].Addr), list[0].Addr
	for _, s := range list {
		if n > 0 && (s.Addr < last || u.at+s.Addr+uintptr(s.Len) > end) {
			break
		}
		n, bytes, last = n+1, bytes+int(s.Len), s.Addr+uintptr(s.Len)
	}
	return n, bytes
}

// longSegment is the length from which on segments are updated where they lie, and not in a copy.
const longSegment = 256

// scattered updates elements of a stripe that do not follow one another: n bytes, from a place of the streams on.
func (u *update) scattered(l *datatype.Layout, list []datatype.Segment, from, n int) error {
	return u.locked(u.at+list[0].Addr, func(s *stripe) error {
		if u.pid != 0 || n < len(list)*longSegment && !(u.e.Word && s.singles.Load() != 0) {
			there := reach.Memory{Process: u.w.processOf(u.rank), Base: u.addr, Layout: l}
			return u.inCopy(&there, int64(from), from, n)
		}
		for _, segment := range list {
			u.pieces(s, segment.Addr, from, int(segment.Len))
			from += int(segment.Len)
		}
		return nil
	})
}

// run updates elements that follow one another: those from an offset of the place on, which are from a place of the
// streams on. They may be all of a call.
func (u *update) run(offset uintptr, from, n int) error {
	if n != u.e.Size || !u.w.isWord(u.addr+offset, u.e) {
		return u.stripes(offset, from, n)
	}
	if err := u.w.single(u.at+offset, u.aside); err != nil {
		return err
	}
	if u.compare != nil {
		store(u.out[:n], exchange(u.addr+offset, load(u.compare[:n]), load(u.in[:n]), n))
	} else {
		u.words(u.addr+offset, from, n)
	}
	return nil
}

// stripes is run of a part of a call.
func (u *update) stripes(offset uintptr, from, n int) error {
	for n > 0 {
		at := u.at + offset
		k := min(n, roundUp(int(stripeEnd(at)-at), u.e.Size))
		err := u.locked(at, func(s *stripe) error {
			if u.pid != 0 {
				return u.inCopy(&reach.Memory{Process: u.w.processOf(u.rank), Base: u.addr + offset}, 0, from, k)
			}
			u.pieces(s, offset, from, k)
			return nil
		})
		if err != nil {
			return err
		}
		offset, from, n = offset+uintptr(k), from+k, n-k
	}
	return nil
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }

// locked does something under the lock of a stripe.
func (u *update) locked(at uintptr, do func(*stripe) error) error {
	s, err := u.w.enter(at, u.aside)
	if err != nil {
		return err
	}
	err = do(s)
	u.w.leave(s)
	return err
}

// pieces updates n bytes of elements under the lock of their stripe.
func (u *update) pieces(s *stripe, offset uintptr, from, n int) {
	if !u.w.isWord(u.addr+offset, u.e) {
		u.apply(memoryAt(u.addr+offset, n), from)
		return
	}
	for n > 0 {
		k, singles := s.alike(u.at+offset, n, u.e.Size)
		if singles {
			u.words(u.addr+offset, from, k)
		} else {
			u.apply(memoryAt(u.addr+offset, k), from)
		}
		offset, from, n = offset+uintptr(k), from+k, n-k
	}
}

// words updates words by instructions, one for each.
func (u *update) words(addr uintptr, from, n int) {
	size := u.e.Size
	if u.out == nil && u.op.Code == operator.Sum {
		add(addr, u.in[from:from+n], size)
		return
	}
	memory := memoryAt(addr, n)
	for i := 0; i < n; i += size {
		switch {
		case u.op.Code == NoOp:
			if u.out != nil {
				store(u.out[from+i:from+i+size], load(memory[i:i+size]))
			}
		case u.out != nil:
			old := u.op.swap(addr+uintptr(i), load(u.in[from+i:from+i+size]), u.e)
			store(u.out[from+i:from+i+size], old)
		case u.op.Code == Replace:
			store(memory[i:i+size], load(u.in[from+i:from+i+size]))
		default:
			u.op.swap(addr+uintptr(i), load(u.in[from+i:from+i+size]), u.e)
		}
	}
}

// stage is room for a copy of elements.
type stage [1<<stripeShift + 64]byte

var stages = sync.Pool{New: func() any { return new(stage) }}

// inCopy updates n bytes of elements of memory, from an offset of that on, in a copy.
func (u *update) inCopy(there *reach.Memory, offset int64, from, n int) error {
	if u.op.Code == Replace && u.out == nil {
		return u.w.reached(u.rank, there.Store(u.in[from:from+n], offset))
	}
	room := stages.Get().(*stage)
	defer stages.Put(room)
	copied := room[:n]
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

// mostPairs are updated at a time.
const mostPairs = 128

// pairs updates n bytes of pairs with gaps, which are from a place of the streams on, in copies that are laid out as C
// does it. What lies between the parts of a pair at the target stays. A target has one lock for all of them.
func (u *update) pairs(at uintptr, l *datatype.Layout, from, n int) error {
	if l == nil { // a pair that ends with its gap
		one, err := u.e.Pair.Times(1)
		if err != nil {
			return err
		}
		l = &one
	}
	there := reach.Memory{Process: u.w.processOf(u.rank), Base: u.addr + at, Layout: l}
	for offset, most := int64(0), mostPairs*u.e.Size; n > 0; {
		k := min(n, most)
		err := u.locked(u.salt, func(*stripe) error {
			if u.op.On == nil {
				return u.inCopy(&there, offset, from, k)
			}
			return u.pairsInCopy(&there, offset, from, k)
		})
		if err != nil {
			return err
		}
		offset, from, n = offset+int64(k), from+k, n-k
	}
	return nil
}

// pairsInCopy is inCopy for operators, which want pairs with their gaps.
func (u *update) pairsInCopy(there *reach.Memory, offset int64, from, n int) error {
	count := n / u.e.Size
	all, each := stages.Get().(*stage), count*u.op.On.Size
	defer stages.Put(all)
	stream, old, in := all[:n], all[n:n+each], all[n+each:n+2*each]
	pairs, err := u.e.Pair.Times(int64(count))
	if err == nil {
		err = there.Load(stream, offset)
	}
	if err != nil {
		return u.w.reached(u.rank, err)
	}
	if u.out != nil {
		copy(u.out[from:], stream)
	}
	datatype.Unpack(stream, &pairs, sys.HeapAddr(old), 0)
	datatype.Unpack(u.in[from:from+n], &pairs, sys.HeapAddr(in), 0)
	u.op.On.Apply(old, in)
	datatype.Pack(stream, &pairs, sys.HeapAddr(old), 0)
	return u.w.reached(u.rank, there.Store(stream, offset))
}
