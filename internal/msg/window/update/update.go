package update

import (
	"sync"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/msg/coll/operator"
	"github.com/gopvas/gopvas/internal/msg/reach"
	"github.com/gopvas/gopvas/internal/msg/window/lock"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// Place is where the elements are.
type Place struct {
	Addr    uintptr        // of the first byte, or with a layout of displacement zero
	At      uintptr        // the same in stripes
	Salt    uintptr        // what the memory of the target begins with in stripes
	Process *reach.Process // whose memory it is; nil: this one addresses it
	Far     bool           // there are processes that do not: no word is changed by instructions
}

// Update is an accumulate under way.
type Update struct {
	Words *lock.Words
	Place
	Op      Op
	E       *Element
	In, Out []byte // streams; nil: none
	Compare []byte // of CompareAndSwap; nil: of others
	Aside   bool   // it is for a rank of another node
}

// Do updates all elements: so many bytes, in one piece if there is no layout.
func (u *Update) Do(l *datatype.Layout, bytes int) error {
	switch {
	case u.E.Pair != nil:
		return u.pairs(0, l, 0, bytes)
	case l == nil:
		return u.run(0, 0, bytes)
	}
	var list [256]datatype.Segment
	for done := 0; done < bytes; {
		n, _ := datatype.Segments(list[:], l, 0, int64(done))
		for left := list[:n]; len(left) > 0; {
			k, bytes := u.together(left)
			var err error
			if k > 1 {
				err = u.scattered(l, left[:k], done, bytes)
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

// Piece updates the elements of a piece: n bytes from an offset of the place on, which are from another one of the
// streams on. A call may have more pieces.
func (u *Update) Piece(offset uintptr, from, n int) error {
	switch {
	case u.E.Pair != nil:
		return u.pairs(offset, nil, from, n)
	case max(len(u.In), len(u.Out)) == u.E.Size:
		return u.run(offset, from, n)
	}
	return u.stripes(offset, from, n)
}

// together is how many of some segments are updated under one lock, and their bytes: as many as lie in a stripe, in the
// order of their addresses.
func (u *Update) together(list []datatype.Segment) (n, bytes int) {
	last := u.At + list[0].Addr
	end := lock.StripeEnd(last)
	for _, s := range list {
		at := u.At + s.Addr // addresses alone do not compare: those before displacement zero are large
		if n > 0 && (at < last || at+uintptr(s.Len) > end) {
			break
		}
		n, bytes, last = n+1, bytes+int(s.Len), at+uintptr(s.Len)
	}
	return n, bytes
}

// longSegment is the length from which on segments are updated where they lie, and not in a copy.
const longSegment = 256

// scattered updates elements of a stripe that do not follow one another: n bytes, from a place of the streams on.
func (u *Update) scattered(l *datatype.Layout, list []datatype.Segment, from, n int) error {
	return u.locked(u.At+list[0].Addr, func(s *lock.Stripe) error {
		if u.Process != nil || n < len(list)*longSegment && !(u.E.Word && s.HasSingles()) {
			there := reach.Memory{Process: u.Process, Base: u.Addr, Layout: l}
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
func (u *Update) run(offset uintptr, from, n int) error {
	if n != u.E.Size || !u.E.IsWord(u.Addr+offset, u.Far) {
		return u.stripes(offset, from, n)
	}
	if err := u.Words.Single(u.At+offset, u.Aside); err != nil {
		return err
	}
	if u.Compare != nil {
		Store(u.Out[:n], exchange(u.Addr+offset, Load(u.Compare[:n]), Load(u.In[:n]), n))
	} else {
		u.words(u.Addr+offset, from, n)
	}
	return nil
}

// stripes is run of a part of a call.
func (u *Update) stripes(offset uintptr, from, n int) error {
	for n > 0 {
		at := u.At + offset
		k := lock.BytesIn(at, n, u.E.Size)
		err := u.locked(at, func(s *lock.Stripe) error {
			if u.Process != nil {
				return u.inCopy(&reach.Memory{Process: u.Process, Base: u.Addr + offset}, 0, from, k)
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

// locked does something under the lock of a stripe.
func (u *Update) locked(at uintptr, do func(*lock.Stripe) error) error {
	s, err := u.Words.Enter(at, u.Aside)
	if err != nil {
		return err
	}
	err = do(s)
	u.Words.Leave(s)
	return err
}

// pieces updates n bytes of elements under the lock of their stripe.
func (u *Update) pieces(s *lock.Stripe, offset uintptr, from, n int) {
	if !u.E.IsWord(u.Addr+offset, u.Far) {
		u.apply(memoryAt(u.Addr+offset, n), from)
		return
	}
	for n > 0 {
		k, singles := s.Alike(u.At+offset, n, u.E.Size)
		if singles {
			u.words(u.Addr+offset, from, k)
		} else {
			u.apply(memoryAt(u.Addr+offset, k), from)
		}
		offset, from, n = offset+uintptr(k), from+k, n-k
	}
}

// words updates words by instructions, one for each.
func (u *Update) words(addr uintptr, from, n int) {
	size := u.E.Size
	if u.Out == nil && u.Op.Code == operator.Sum {
		add(addr, u.In[from:from+n], size)
		return
	}
	memory := memoryAt(addr, n)
	for i := 0; i < n; i += size {
		switch {
		case u.Op.Code == NoOp:
			if u.Out != nil {
				Store(u.Out[from+i:from+i+size], Load(memory[i:i+size]))
			}
		case u.Out != nil:
			old := u.Op.Swap(addr+uintptr(i), Load(u.In[from+i:from+i+size]), u.E)
			Store(u.Out[from+i:from+i+size], old)
		case u.Op.Code == Replace:
			Store(memory[i:i+size], Load(u.In[from+i:from+i+size]))
		default:
			u.Op.Swap(addr+uintptr(i), Load(u.In[from+i:from+i+size]), u.E)
		}
	}
}

// stage is room for a copy of elements.
type stage [lock.StripeBytes + 64]byte

var stages = sync.Pool{New: func() any { return new(stage) }}

// inCopy updates n bytes of elements of memory, from an offset of that on, in a copy.
func (u *Update) inCopy(there *reach.Memory, offset int64, from, n int) error {
	if u.Op.Code == Replace && u.Out == nil {
		return there.Store(u.In[from:from+n], offset)
	}
	room := stages.Get().(*stage)
	defer stages.Put(room)
	copied := room[:n]
	err := there.Load(copied, offset)
	if err == nil && u.apply(copied, from) {
		err = there.Store(copied, offset)
	}
	return err
}

// apply updates elements, which are from a place of the streams on. It tells whether they may have changed.
func (u *Update) apply(elements []byte, from int) bool {
	n := len(elements)
	if u.Out != nil {
		copy(u.Out[from:from+n], elements)
	}
	switch {
	case u.Compare != nil:
		if string(elements) != string(u.Compare[:n]) {
			return false
		}
		copy(elements, u.In)
	case u.Op.Code == NoOp:
		return false
	case u.Op.Code == Replace:
		copy(elements, u.In[from:from+n])
	default:
		u.Op.On.Apply(elements, u.In[from:from+n])
	}
	return true
}

// mostPairs are updated at a time.
const mostPairs = 128

// pairs updates n bytes of pairs with gaps, which are from a place of the streams on, in copies that are laid out as C
// does it. What lies between the parts of a pair at the target stays. A target has one lock for all of them.
func (u *Update) pairs(at uintptr, l *datatype.Layout, from, n int) error {
	if l == nil { // a pair that ends with its gap
		one, err := u.E.Pair.Times(1)
		if err != nil {
			return err
		}
		l = &one
	}
	there := reach.Memory{Process: u.Process, Base: u.Addr + at, Layout: l}
	for offset, most := int64(0), mostPairs*u.E.Size; n > 0; {
		k := min(n, most)
		err := u.locked(u.Salt, func(*lock.Stripe) error {
			if u.Op.On == nil {
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
func (u *Update) pairsInCopy(there *reach.Memory, offset int64, from, n int) error {
	count := n / u.E.Size
	all, each := stages.Get().(*stage), count*u.Op.On.Size
	defer stages.Put(all)
	stream, old, in := all[:n], all[n:n+each], all[n+each:n+2*each]
	pairs, err := u.E.Pair.Times(int64(count))
	if err == nil {
		err = there.Load(stream, offset)
	}
	if err != nil {
		return err
	}
	if u.Out != nil {
		copy(u.Out[from:], stream)
	}
	datatype.Unpack(stream, &pairs, sys.HeapAddr(old), 0)
	datatype.Unpack(u.In[from:from+n], &pairs, sys.HeapAddr(in), 0)
	u.Op.On.Apply(old, in)
	datatype.Pack(stream, &pairs, sys.HeapAddr(old), 0)
	return there.Store(stream, offset)
}
