package datatype

import "sync"

// Type is a datatype. It is made by a constructor, never changes, and may be used by any
// number of goroutines. Sizes and displacements are in bytes.
type Type struct {
	body         body
	lb, extent   int64
	trueLB, span int64 // the bytes
	contents     Contents

	commit sync.Once
	flat   Flat
}

// newType checks what was composed and makes the type.
func newType(b body, c Contents) (*Type, error) {
	var x exact
	return finish(&x, b, c)
}

// finish is newType for a body that x has computed.
func finish(x *exact, b body, c Contents) (*Type, error) {
	if x.overflow {
		return nil, failed(c.Combiner, ErrOverflow)
	}
	t := &Type{body: b, contents: c}
	lb, ub := b.bounds(x)
	t.lb, t.extent = lb, x.sub(ub, lb)
	lo, hi := b.trueBounds(x)
	t.trueLB, t.span = lo, x.sub(hi, lo)
	switch {
	case x.overflow:
		return nil, failed(c.Combiner, ErrOverflow)
	case b.data.depth() > maxDepth:
		return nil, failed(c.Combiner, ErrDepth)
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

// Signature identifies the sequence of basic elements.
func (t *Type) Signature() Signature { return t.body.signature.exported() }

// SignatureOf returns the signature of count elements of the type, which must not be
// negative.
func (t *Type) SignatureOf(count int64) Signature {
	return t.body.signature.repeat(count).exported()
}

func (s signature) exported() Signature { return Signature{Hash: s.hash, Elements: s.count} }
