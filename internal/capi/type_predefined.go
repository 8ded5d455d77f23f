package capi

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/coll/operator"
)

const (
	firstPredefined = int(DATATYPE_NULL)
	lastPredefined  = int(COMPLEX32)
)

// predefinedTypes are the types of the ABI, by their handles from firstPredefined on. A type is
// made when it is first used, because each takes memory of every rank and programs use few. It
// never changes from then on.
var predefinedTypes [lastPredefined - firstPredefined + 1]atomic.Pointer[typeObject]

// predefining is held by the thread that makes a predefined type.
var predefining sync.Mutex

// traits are what is known of a predefined type, and of types like it, beyond the layout.
type traits struct {
	handle  Type
	basic   *basicType       // nil: a pair
	element operator.Element // what predefined operators see, if reduces
	reduces bool
}

// traitsByType finds them: *traits by *datatype.Type.
var traitsByType sync.Map

func traitsOf(t *datatype.Type) *traits {
	known, _ := traitsByType.Load(t)
	found, _ := known.(*traits)
	return found
}

// basicType is a predefined type of one element on x86-64 and arm64 Linux.
type basicType struct {
	handle   Type
	name     string
	kind     datatype.Kind
	size     int
	external int // bytes in external32; 0: as many
}

var basicTypes = []basicType{
	{AINT, "MPI_AINT", datatype.KindInteger, 8, 0},
	{COUNT, "MPI_COUNT", datatype.KindInteger, 8, 0},
	{OFFSET, "MPI_OFFSET", datatype.KindInteger, 8, 0},
	{PACKED, "MPI_PACKED", datatype.KindPacked, 1, 0},
	{SHORT, "MPI_SHORT", datatype.KindInteger, 2, 0},
	{INT, "MPI_INT", datatype.KindInteger, 4, 0},
	{LONG, "MPI_LONG", datatype.KindInteger, 8, 4},
	{LONG_LONG, "MPI_LONG_LONG_INT", datatype.KindInteger, 8, 0},
	{UNSIGNED_SHORT, "MPI_UNSIGNED_SHORT", datatype.KindUnsigned, 2, 0},
	{UNSIGNED, "MPI_UNSIGNED", datatype.KindUnsigned, 4, 0},
	{UNSIGNED_LONG, "MPI_UNSIGNED_LONG", datatype.KindUnsigned, 8, 4},
	{UNSIGNED_LONG_LONG, "MPI_UNSIGNED_LONG_LONG", datatype.KindUnsigned, 8, 0},
	{FLOAT, "MPI_FLOAT", datatype.KindFloat, 4, 0},
	{C_FLOAT_COMPLEX, "MPI_C_COMPLEX", datatype.KindComplex, 8, 0},
	{CXX_FLOAT_COMPLEX, "MPI_CXX_FLOAT_COMPLEX", datatype.KindComplex, 8, 0},
	{DOUBLE, "MPI_DOUBLE", datatype.KindFloat, 8, 0},
	{C_DOUBLE_COMPLEX, "MPI_C_DOUBLE_COMPLEX", datatype.KindComplex, 16, 0},
	{CXX_DOUBLE_COMPLEX, "MPI_CXX_DOUBLE_COMPLEX", datatype.KindComplex, 16, 0},
	{LOGICAL, "MPI_LOGICAL", datatype.KindLogical, 4, 0},
	{INTEGER, "MPI_INTEGER", datatype.KindInteger, 4, 0},
	{REAL, "MPI_REAL", datatype.KindFloat, 4, 0},
	{COMPLEX, "MPI_COMPLEX", datatype.KindComplex, 8, 0},
	{DOUBLE_PRECISION, "MPI_DOUBLE_PRECISION", datatype.KindFloat, 8, 0},
	{DOUBLE_COMPLEX, "MPI_DOUBLE_COMPLEX", datatype.KindComplex, 16, 0},
	{CHARACTER, "MPI_CHARACTER", datatype.KindCharacter, 1, 0},
	{LONG_DOUBLE, "MPI_LONG_DOUBLE", datatype.KindFloat, 16, 0},
	{C_LONG_DOUBLE_COMPLEX, "MPI_C_LONG_DOUBLE_COMPLEX", datatype.KindComplex, 32, 0},
	{CXX_LONG_DOUBLE_COMPLEX, "MPI_CXX_LONG_DOUBLE_COMPLEX", datatype.KindComplex, 32, 0},
	{C_BOOL, "MPI_C_BOOL", datatype.KindLogical, 1, 0},
	{CXX_BOOL, "MPI_CXX_BOOL", datatype.KindLogical, 1, 0},
	{WCHAR, "MPI_WCHAR", datatype.KindCharacter, 4, 2},
	{INT8_T, "MPI_INT8_T", datatype.KindInteger, 1, 0},
	{UINT8_T, "MPI_UINT8_T", datatype.KindUnsigned, 1, 0},
	{CHAR, "MPI_CHAR", datatype.KindCharacter, 1, 0},
	{SIGNED_CHAR, "MPI_SIGNED_CHAR", datatype.KindInteger, 1, 0},
	{UNSIGNED_CHAR, "MPI_UNSIGNED_CHAR", datatype.KindUnsigned, 1, 0},
	{BYTE, "MPI_BYTE", datatype.KindByte, 1, 0},
	{INT16_T, "MPI_INT16_T", datatype.KindInteger, 2, 0},
	{UINT16_T, "MPI_UINT16_T", datatype.KindUnsigned, 2, 0},
	{INT32_T, "MPI_INT32_T", datatype.KindInteger, 4, 0},
	{UINT32_T, "MPI_UINT32_T", datatype.KindUnsigned, 4, 0},
	{INT64_T, "MPI_INT64_T", datatype.KindInteger, 8, 0},
	{UINT64_T, "MPI_UINT64_T", datatype.KindUnsigned, 8, 0},
	{LOGICAL1, "MPI_LOGICAL1", datatype.KindLogical, 1, 0},
	{INTEGER1, "MPI_INTEGER1", datatype.KindInteger, 1, 0},
	{LOGICAL2, "MPI_LOGICAL2", datatype.KindLogical, 2, 0},
	{INTEGER2, "MPI_INTEGER2", datatype.KindInteger, 2, 0},
	{REAL2, "MPI_REAL2", datatype.KindFloat, 2, 0},
	{LOGICAL4, "MPI_LOGICAL4", datatype.KindLogical, 4, 0},
	{INTEGER4, "MPI_INTEGER4", datatype.KindInteger, 4, 0},
	{REAL4, "MPI_REAL4", datatype.KindFloat, 4, 0},
	{COMPLEX4, "MPI_COMPLEX4", datatype.KindComplex, 4, 0},
	{LOGICAL8, "MPI_LOGICAL8", datatype.KindLogical, 8, 0},
	{INTEGER8, "MPI_INTEGER8", datatype.KindInteger, 8, 0},
	{REAL8, "MPI_REAL8", datatype.KindFloat, 8, 0},
	{COMPLEX8, "MPI_COMPLEX8", datatype.KindComplex, 8, 0},
	{LOGICAL16, "MPI_LOGICAL16", datatype.KindLogical, 16, 0},
	{INTEGER16, "MPI_INTEGER16", datatype.KindInteger, 16, 0},
	{REAL16, "MPI_REAL16", datatype.KindFloat, 16, 0},
	{COMPLEX16, "MPI_COMPLEX16", datatype.KindComplex, 16, 0},
	{COMPLEX32, "MPI_COMPLEX32", datatype.KindComplex, 32, 0},
}

// pairType is a predefined type of a value and an index.
type pairType struct {
	handle       Type
	name         string
	value, index Type
}

var pairTypes = []pairType{
	{FLOAT_INT, "MPI_FLOAT_INT", FLOAT, INT},
	{DOUBLE_INT, "MPI_DOUBLE_INT", DOUBLE, INT},
	{LONG_INT, "MPI_LONG_INT", LONG, INT},
	{TWO_INT, "MPI_2INT", INT, INT},
	{SHORT_INT, "MPI_SHORT_INT", SHORT, INT},
	{LONG_DOUBLE_INT, "MPI_LONG_DOUBLE_INT", LONG_DOUBLE, INT},
	{TWO_REAL, "MPI_2REAL", REAL, REAL},
	{TWO_DOUBLE_PRECISION, "MPI_2DOUBLE_PRECISION", DOUBLE_PRECISION, DOUBLE_PRECISION},
	{TWO_INTEGER, "MPI_2INTEGER", INTEGER, INTEGER},
}

// predefinedType is the predefined type of a handle, or nil.
func predefinedType(t Type) *typeObject {
	i := int(t) - firstPredefined
	if i < 0 || i >= len(predefinedTypes) {
		return nil
	}
	if o := predefinedTypes[i].Load(); o != nil {
		return o
	}
	return firstUse(t)
}

func firstUse(t Type) *typeObject {
	predefining.Lock()
	defer predefining.Unlock()
	return makePredefined(t)
}

// makePredefined makes the type unless that was done meanwhile. It returns nil if the handle is none
// of the ABI.
func makePredefined(t Type) *typeObject {
	place := &predefinedTypes[int(t)-firstPredefined]
	if o := place.Load(); o != nil {
		return o
	}
	name, made, err := layoutOf(t)
	if made == nil || err != nil {
		return nil // a test makes all
	}
	of := &traits{handle: t, basic: basicOf(t)}
	of.element, of.reduces = elementOf(t, of.basic)
	traitsByType.Store(made, of)
	o := newTypeObject(made)
	o.predefined, o.combiner = true, COMBINER_NAMED
	o.committed.Store(true)
	o.name.Store(&name)
	place.Store(o)
	return o
}

// layoutOf makes the layout of a predefined type; nil if there is no such type.
func layoutOf(t Type) (string, *datatype.Type, error) {
	if b := basicOf(t); b != nil {
		align := b.size
		if b.kind == datatype.KindComplex {
			align = b.size / 2
		}
		made, err := datatype.Basic(b.name, b.kind, int64(b.size), int64(align))
		return b.name, made, err
	}
	i := slices.IndexFunc(pairTypes, func(p pairType) bool { return p.handle == t })
	if i < 0 {
		return "", nil, nil
	}
	pair := &pairTypes[i]
	made, err := datatype.Pair(pair.name, makePredefined(pair.value).Type, makePredefined(pair.index).Type)
	return pair.name, made, err
}

// basicOf is the row of a type in the table above, or nil.
func basicOf(t Type) *basicType {
	i := slices.IndexFunc(basicTypes, func(b basicType) bool { return b.handle == t })
	if i < 0 {
		return nil
	}
	return &basicTypes[i]
}
