package capi

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/msg/coll/operator"
	"github.com/gopvas/gopvas/internal/msg/window"
)

const (
	firstPredefined = int(DATATYPE_NULL)
	lastPredefined  = int(UB)
)

// Types that Open MPI has and the ABI does not. LB and UB are markers: see Type_create_struct.
const (
	TWO_COMPLEX        Type = 0x3f0
	TWO_DOUBLE_COMPLEX Type = 0x3f1
	LB                 Type = 0x3f2
	UB                 Type = 0x3f3
)

// markers are the types of MPI 1 that say where a struct begins and ends. They have no elements.
var markers = map[Type]string{LB: "MPI_LB", UB: "MPI_UB"}

// predefinedTypes are the types of the ABI and of Open MPI, by their handles from firstPredefined on. A type is
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

	accumulated window.Element
}

// traitsByType finds those of the basic types that package datatype names: *traits by *datatype.Type.
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
	{TWO_COMPLEX, "MPI_2COMPLEX", COMPLEX, COMPLEX},
	{TWO_DOUBLE_COMPLEX, "MPI_2DOUBLE_COMPLEX", DOUBLE_COMPLEX, DOUBLE_COMPLEX},
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
	of.accumulated = accumulatedElement(made, of)
	traitsByType.Store(made, of)
	o := newTypeObject(made, of)
	o.predefined, o.combiner = true, COMBINER_NAMED
	o.committed.Store(true)
	o.name.Store(&name)
	place.Store(o)
	if i := int(t) - firstPredefined; i < shortTypes {
		Tables.Types[i].Store(o.shortKind())
	}
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
	if name := markers[t]; name != "" {
		made, err := datatype.Struct(nil, nil, nil)
		return name, made, err
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
