package datatype

import "sync"

// Type is a datatype. It is made by a constructor, never changes, and may be used by any
// number of goroutines. Sizes and displacements are in bytes.
type Type struct {
	body         body
	lb, extent   int64
	trueLB, span int64 // the bytes
	contents     Contents

	// The contents of most types fit in here.
	numbers [4]int64
	old     [1]*Type

	commit sync.Once
	flat   Flat
}

// finish checks what was composed and computed by x, and makes the type.
func finish(x *exact, b body, a *arguments) (*Type, error) {
	if x.overflow {
		return nil, failed(a.combiner, ErrOverflow)
	}
	t := &Type{body: b}
	t.keep(a)
	lb, ub := b.bounds(x)
	t.lb, t.extent = lb, x.sub(ub, lb)
	lo, hi := b.trueBounds(x)
	t.trueLB, t.span = lo, x.sub(hi, lo)
	switch {
	case x.overflow:
		return nil, failed(a.combiner, ErrOverflow)
	case b.data.depth() > maxDepth:
		return nil, failed(a.combiner, ErrDepth)
	}
	return t, nil
}

// Size returns the number of bytes of the elements, without gaps.
func (t *Type) Size() int64 { return t.body.data.size }

// Extent returns the lower bound and the distance to the upper bound, which is that from
// one element to the next in an array of the type.
func (t *Type) Extent() (lb, extent int64) { return t.lb, t.extent }

// TrueExtent returns the lowest displacement of a byte, and the distance from there to the
// end of the highest.
func (t *Type) TrueExtent() (lb, extent int64) { return t.trueLB, t.span }

// Align returns the alignment of the strictest basic element.
func (t *Type) Align() int64 { return t.body.align }

// Dense tells whether elements of the type are their bytes from displacement 0 on, one behind the other, without gaps.
func (t *Type) Dense() bool {
	size := t.body.data.size
	return t.body.data.isRun() && t.lb == 0 && t.trueLB == 0 && t.extent == size && t.span == size
}

// Signature identifies the sequence of basic elements.
func (t *Type) Signature() Signature {
	all := t.body.signature.expand()
	return Signature{Hash: all.hash, Elements: all.count}
}

// Repeats tells whether the basic elements are those of another type, any number of times. No elements are so many
// times those of any type.
func (t *Type) Repeats(other *Type) bool { return t.body.signature.repeats(other.body.signature) }
