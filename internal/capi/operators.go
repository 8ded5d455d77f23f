package capi

import (
	"sync/atomic"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/msg/coll"
	"github.com/gopvas/gopvas/internal/msg/coll/operator"
)

// opObject is what a handle of an operator stands for.
type opObject struct {
	predefined bool
	code       operator.Code // of a predefined one
	name       string
	function   Func    // of the program
	argument   uintptr // more of the function, unless it is 0
	commutes   bool
	made       atomic.Pointer[reduction] // what userOn has made last
}

// operators are those that the program has made.
var operators = tableOf[opObject](kindOp)

// predefinedOps are the operators of the ABI, by their handles from OP_NULL on. Accumulates alone
// take REPLACE and NO_OP.
var predefinedOps = [...]*opObject{
	SUM - OP_NULL:     predefinedOp("MPI_SUM", operator.Sum),
	PROD - OP_NULL:    predefinedOp("MPI_PROD", operator.Prod),
	MIN - OP_NULL:     predefinedOp("MPI_MIN", operator.Min),
	MAX - OP_NULL:     predefinedOp("MPI_MAX", operator.Max),
	MINLOC - OP_NULL:  predefinedOp("MPI_MINLOC", operator.MinLoc),
	MAXLOC - OP_NULL:  predefinedOp("MPI_MAXLOC", operator.MaxLoc),
	BAND - OP_NULL:    predefinedOp("MPI_BAND", operator.BAnd),
	BOR - OP_NULL:     predefinedOp("MPI_BOR", operator.BOr),
	BXOR - OP_NULL:    predefinedOp("MPI_BXOR", operator.BXor),
	LAND - OP_NULL:    predefinedOp("MPI_LAND", operator.LAnd),
	LOR - OP_NULL:     predefinedOp("MPI_LOR", operator.LOr),
	LXOR - OP_NULL:    predefinedOp("MPI_LXOR", operator.LXor),
	REPLACE - OP_NULL: predefinedOp("MPI_REPLACE", operator.Codes),
	NO_OP - OP_NULL:   predefinedOp("MPI_NO_OP", operator.Codes),
}

func predefinedOp(name string, code operator.Code) *opObject {
	return &opObject{predefined: true, code: code, name: name, commutes: code != operator.Codes}
}

// opOf is the operator of a handle.
func (p *Process) opOf(op Op) (*opObject, error) {
	if i := uint(op - OP_NULL); i < uint(len(predefinedOps)) && predefinedOps[i] != nil {
		return predefinedOps[i], nil
	}
	if o := operators.get(uintptr(op)); o != nil {
		return o, nil
	}
	return nil, wrongHandle(kindOp, uintptr(op))
}

// Op_create is MPI_Op_create.
func (p *Process) Op_create(function Func, commute int, op Ptr[Op]) error {
	if function.Entry == 0 {
		return fail(ERR_ARG, "the function of the operator is a null pointer")
	}
	h := operators.add(&opObject{function: function, commutes: commute != 0, name: "an operator of the program"})
	if h == 0 {
		return fail(ERR_INTERN, "there are a million operators: free those that are no longer used")
	}
	op.Set(Op(h))
	return nil
}

// CalledInFortran says of an operator or error handler that its function is of Fortran. The handle is the word at an
// address.
func CalledInFortran(word uintptr) {
	handle := loadWord(word)
	if o := operators.get(handle); o != nil {
		o.function.Fortran = true
	} else if h := process.errhandlers.get(handle); h != nil {
		h.f.Fortran = true
	}
}

// OperatorArgument has the function of an operator get one more argument. The handle and the argument are two words at
// an address.
func OperatorArgument(words uintptr) {
	if o := operators.get(loadWord(words)); o != nil {
		o.argument = loadWord(words + 8)
	}
}

// Op_free is MPI_Op_free.
func (p *Process) Op_free(op Ptr[Op]) error {
	o, err := p.opOf(op.Get())
	switch {
	case err != nil:
		return err
	case o.predefined:
		return fail(ERR_OP, "%s is predefined and cannot be freed", o.name)
	}
	operators.remove(uintptr(op.Get()))
	op.Set(OP_NULL)
	return nil
}

// elementOf is the element that predefined operators see in a predefined type, if there is one.
// basic is nil for a pair.
func elementOf(t Type, basic *basicType) (element operator.Element, ok bool) {
	switch t {
	case C_BOOL, CXX_BOOL:
		return operator.Bool, true
	case LONG_DOUBLE:
		return operator.Extended, true
	case C_LONG_DOUBLE_COMPLEX, CXX_LONG_DOUBLE_COMPLEX:
		return operator.ComplexExtended, true
	case CHARACTER, WCHAR:
		return 0, false
	}
	if basic == nil {
		return pairElementOf(t)
	}
	switch basic.kind {
	case datatype.KindLogical, datatype.KindInteger, datatype.KindCharacter:
		return elementOfSize(basic.size, operator.Int8, operator.Int16, operator.Int32, operator.Int64,
			operator.Int128)
	case datatype.KindUnsigned, datatype.KindByte:
		return elementOfSize(basic.size, operator.Uint8, operator.Uint16, operator.Uint32, operator.Uint64)
	case datatype.KindFloat:
		return elementOfSize(basic.size/4, operator.Float32, operator.Float64, operator.Quad)
	case datatype.KindComplex:
		return elementOfSize(basic.size/8, operator.Complex64, operator.Complex128, operator.ComplexQuad)
	}
	return 0, false
}

// elementOfSize takes one of the elements that have 1, 2, 4, ... units.
func elementOfSize(units int, elements ...operator.Element) (operator.Element, bool) {
	for i, e := range elements {
		if units == 1<<i {
			return e, true
		}
	}
	return 0, false
}

func pairElementOf(t Type) (operator.Element, bool) {
	switch t {
	case FLOAT_INT:
		return operator.PairFloat32, true
	case DOUBLE_INT:
		return operator.PairFloat64, true
	case LONG_INT:
		return operator.PairInt64, true
	case TWO_INT, TWO_INTEGER:
		return operator.PairInt32, true
	case SHORT_INT:
		return operator.PairInt16, true
	case LONG_DOUBLE_INT:
		return operator.PairExtended, true
	case TWO_REAL:
		return operator.TwoFloat32, true
	case TWO_DOUBLE_PRECISION:
		return operator.TwoFloat64, true
	}
	return 0, false
}

// allowed tells whether the standard has an operator for a kind of elements, as far as the
// elements do not tell.
func allowed(code operator.Code, kind datatype.Kind) bool {
	switch kind {
	case datatype.KindLogical:
		return code >= operator.LAnd
	case datatype.KindByte:
		return code >= operator.BAnd && code <= operator.BXor
	case datatype.KindFloat:
		return code < operator.LAnd
	}
	return true
}

// predefinedOn returns a predefined operator for the elements of a type.
func (o *opObject) predefinedOn(t *typeObject) (*coll.Op, error) {
	if of := t.traits; of != nil && of.reduces && (of.basic == nil || allowed(o.code, of.basic.kind)) {
		if op := operator.Of(o.code, of.element); op != nil {
			return op, nil
		}
	}
	if !t.predefined {
		return nil, fail(ERR_OP, "%s takes predefined datatypes only: make an operator for %s by MPI_Op_create", o.name,
			t.label())
	}
	return nil, fail(ERR_OP, "%s is not defined for %s", o.name, t.label())
}
