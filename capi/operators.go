package capi

import (
	"github.com/gopvas/gopvas/coll"
	"github.com/gopvas/gopvas/coll/operator"
	"github.com/gopvas/gopvas/datatype"
)

// opObject is what a handle of an operator stands for.
type opObject struct {
	predefined bool
	code       operator.Code // of a predefined one
	name       string
	function   Func // of the program
	commutes   bool
}

// operators are those that the program has made.
var operators = table[opObject]{kind: kindOp}

// predefinedOps are the operators of the ABI. Accumulates alone take REPLACE and NO_OP.
var predefinedOps = map[Op]*opObject{
	SUM:     predefinedOp("MPI_SUM", operator.Sum),
	PROD:    predefinedOp("MPI_PROD", operator.Prod),
	MIN:     predefinedOp("MPI_MIN", operator.Min),
	MAX:     predefinedOp("MPI_MAX", operator.Max),
	MINLOC:  predefinedOp("MPI_MINLOC", operator.MinLoc),
	MAXLOC:  predefinedOp("MPI_MAXLOC", operator.MaxLoc),
	BAND:    predefinedOp("MPI_BAND", operator.BAnd),
	BOR:     predefinedOp("MPI_BOR", operator.BOr),
	BXOR:    predefinedOp("MPI_BXOR", operator.BXor),
	LAND:    predefinedOp("MPI_LAND", operator.LAnd),
	LOR:     predefinedOp("MPI_LOR", operator.LOr),
	LXOR:    predefinedOp("MPI_LXOR", operator.LXor),
	REPLACE: predefinedOp("MPI_REPLACE", operator.Codes),
	NO_OP:   predefinedOp("MPI_NO_OP", operator.Codes),
}

func predefinedOp(name string, code operator.Code) *opObject {
	return &opObject{predefined: true, code: code, name: name, commutes: code != operator.Codes}
}

// opOf is the operator of a handle.
func (p *Process) opOf(op Op) (*opObject, error) {
	if o := predefinedOps[op]; o != nil {
		return o, nil
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

// Op_commutative is MPI_Op_commutative.
func (p *Process) Op_commutative(op Op, commute Ref) error {
	o, err := p.opOf(op)
	if err == nil {
		commute.SetBool(o.commutes)
	}
	return err
}

// elementTypes are the types of elements that predefined operators see in basic types.
var elementTypes = map[datatype.Kind]map[int]operator.Element{
	datatype.KindLogical:   {1: operator.Int8, 2: operator.Int16, 4: operator.Int32, 8: operator.Int64},
	datatype.KindInteger:   {1: operator.Int8, 2: operator.Int16, 4: operator.Int32, 8: operator.Int64},
	datatype.KindUnsigned:  {1: operator.Uint8, 2: operator.Uint16, 4: operator.Uint32, 8: operator.Uint64},
	datatype.KindFloat:     {4: operator.Float32, 8: operator.Float64},
	datatype.KindComplex:   {8: operator.Complex64, 16: operator.Complex128},
	datatype.KindByte:      {1: operator.Uint8},
	datatype.KindCharacter: {1: operator.Int8},
}

// otherElements are those that the kind and the size of a type do not tell.
var otherElements = map[Type]operator.Element{
	C_BOOL: operator.Bool, CXX_BOOL: operator.Bool,
	LONG_DOUBLE: operator.Extended, C_LONG_DOUBLE_COMPLEX: operator.ComplexExtended, CXX_LONG_DOUBLE_COMPLEX: operator.ComplexExtended,
	FLOAT_INT: operator.PairFloat32, DOUBLE_INT: operator.PairFloat64, LONG_INT: operator.PairInt64, TWO_INT: operator.PairInt32,
	SHORT_INT: operator.PairInt16, LONG_DOUBLE_INT: operator.PairExtended,
	TWO_REAL: operator.TwoFloat32, TWO_DOUBLE_PRECISION: operator.TwoFloat64, TWO_INTEGER: operator.PairInt32,
	CHARACTER: operator.Elements, // no operator takes it
}

// elements is what predefined operators see in each predefined type.
var elements = func() map[*datatype.Type]operator.Element {
	all := map[*datatype.Type]operator.Element{}
	for i := range basicTypes {
		b := &basicTypes[i]
		if e, ok := elementTypes[b.kind][b.size]; ok {
			all[predefinedTypes[int(b.handle)-firstPredefined].Type] = e
		}
	}
	for handle, e := range otherElements {
		all[predefinedTypes[int(handle)-firstPredefined].Type] = e
	}
	return all
}()

// allowed tells whether the standard has an operator for a kind of elements, as far as the
// elements do not tell.
func allowed(code operator.Code, kind datatype.Kind) bool {
	switch kind {
	case datatype.KindLogical:
		return code >= operator.LAnd
	case datatype.KindByte:
		return code >= operator.BAnd && code <= operator.BXor
	}
	return true
}

// predefinedOn returns a predefined operator for the elements of a type.
func (o *opObject) predefinedOn(t *typeObject) (*coll.Op, error) {
	element, ok := elements[t.Type]
	b := basicByType[t.Type]
	if ok && (b == nil || allowed(o.code, b.kind)) {
		if op := operator.Of(o.code, element); op != nil {
			return op, nil
		}
	}
	if !t.predefined {
		return nil, fail(ERR_OP, "%s takes predefined datatypes only: make an operator for %s by MPI_Op_create", o.name, t.label())
	}
	return nil, fail(ERR_OP, "%s is not defined for %s", o.name, t.label())
}
