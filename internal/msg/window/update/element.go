package update

import (
	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/msg/coll"
	"github.com/gopvas/gopvas/internal/msg/coll/operator"
)

// Element is what accumulates see: one of a predefined type.
type Element struct {
	Size   int            // bytes in the packed stream
	Word   bool           // an integer or the like of 4 or 8 bytes, which the processor changes at once
	Equal  bool           // it can be compared with others: an integer or the like
	Signed bool           // of a word
	Pair   *datatype.Type // of a pair with gaps, as C lays it out; nil: of others
	Span   int            // of a pair: bytes from the first to the last
}

// Code is the operator of an accumulate.
type Code = operator.Code

// Two operators that reductions do not have.
const (
	Replace = operator.Codes
	NoOp    = operator.Codes + 1
)

// Op is the operator of an accumulate.
type Op struct {
	Code Code
	On   *coll.Op // the kernel for the elements; nil: of Replace and NoOp
}

// combine is old op in, of words. The processor knows Sum, Replace and NoOp itself: see Swap.
func (op *Op) combine(old, in uint64, e *Element) uint64 {
	if op.Code == operator.Min || op.Code == operator.Max {
		less := old < in
		if e.Signed {
			less = extend(old, e.Size) < extend(in, e.Size)
		}
		if less == (op.Code == operator.Min) {
			return old
		}
		return in
	}
	switch op.Code {
	case operator.Prod:
		return old * in
	case operator.BAnd:
		return old & in
	case operator.BOr:
		return old | in
	case operator.BXor:
		return old ^ in
	case operator.LAnd:
		return truth(old != 0 && in != 0)
	case operator.LOr:
		return truth(old != 0 || in != 0)
	case operator.LXor:
		return truth((old != 0) != (in != 0))
	}
	return in
}

func truth(v bool) uint64 {
	if v {
		return 1
	}
	return 0
}

// extend is a word of so many bytes with its sign.
func extend(v uint64, size int) int64 {
	shift := 64 - 8*size
	return int64(v<<shift) >> shift
}
