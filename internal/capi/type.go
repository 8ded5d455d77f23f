package capi

import (
	"math"
	"math/bits"
	"sync/atomic"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/msg/comm"
)

// typeObject is what a handle of a datatype stands for. All but name, committed, layout and
// attributes never changes. A message that is underway keeps the *datatype.Type reachable, so
// MPI_Type_free only takes the handle away.
type typeObject struct {
	*datatype.Type
	predefined bool
	committed  atomic.Bool
	name       atomic.Pointer[string]
	traits     *traits // of a predefined type, and of one that has the same layout object
	attributes attributes

	// How it was made, for MPI_Type_get_contents. The old types are those of Type.Contents.
	combiner int
	integers []int64
	old      []*typeObject
	one      [1]*typeObject // room for old
	large    bool           // by a large form

	dense   bool                          // Type.Dense, as all predefined types but some pairs are
	unit    int                           // Size if dense, else 0
	element comm.Element                  // what its messages consist of, counted in bytes
	layout  atomic.Pointer[countedLayout] // the last that was asked for
}

// countedLayout is the layout of count elements of a type.
type countedLayout struct {
	count int
	datatype.Layout
}

// types are the datatypes that the program has made.
var types = tableOf[typeObject](kindType)

var errTooManyTypes = fail(ERR_INTERN, "there are a million datatypes: free those that are no longer used")

// newTypeObject is a type that is made of others, or one with traits.
func newTypeObject(t *datatype.Type, of *traits, old ...*typeObject) *typeObject {
	o := &typeObject{Type: t, traits: of, dense: t.Dense()}
	if len(old) > 0 {
		o.old = append(o.one[:0], old...)
	}
	if o.dense {
		o.unit = int(t.Size())
	}
	o.element = o.consistsOf()
	return o
}

// consistsOf says what a message of the type consists of, if all its basic elements are alike.
func (o *typeObject) consistsOf() comm.Element {
	first := o
	for len(first.old) > 0 {
		first = first.old[0]
	}
	if first.traits == nil || first.traits.basic == nil || !o.Repeats(first.Type) {
		return 1
	}
	b := first.traits.basic
	return datatype.ElementOf(b.kind, b.size).Sized(1)
}

// typeOf is the type of a handle, committed or not.
func (p *Process) typeOf(t Type) (*typeObject, error) {
	if o := predefinedType(t); o != nil {
		return o, nil
	}
	if o := types.get(uintptr(t)); o != nil {
		return o, nil
	}
	if name, ok := halfPrecision[t]; ok {
		return nil, fail(ERR_TYPE, "%s is not supported: there are no numbers of half precision", name)
	}
	return nil, wrongHandle(kindType, uintptr(t))
}

// halfPrecision are the optional types of the ABI that are not there.
var halfPrecision = map[Type]string{REAL2: "MPI_REAL2", COMPLEX4: "MPI_COMPLEX4"}

// messageType is the type of a handle that a message may have.
func (p *Process) messageType(t Type) (*typeObject, error) {
	o, err := p.typeOf(t)
	if err == nil && !o.committed.Load() {
		return nil, fail(ERR_TYPE, "the datatype %s is not committed: call MPI_Type_commit first", o.label())
	}
	return o, err
}

// label names a type in errors.
func (o *typeObject) label() string {
	if name := o.name.Load(); name != nil && *name != "" {
		return *name
	}
	return o.Type.String()
}

// bytesOf is the length of a message of count elements.
func (o *typeObject) bytesOf(count int) (int, error) {
	size := int(o.Size())
	if count < 0 {
		return 0, fail(ERR_COUNT, "the count is %d; it must not be negative", count)
	}
	more, n := bits.Mul(uint(count), uint(size)) // a division would cost as much as a short call
	if more != 0 || n > math.MaxInt {
		return 0, fail(ERR_COUNT, "%d elements of %d bytes are more than 2^63 bytes", count, size)
	}
	return int(n), nil
}

// product is a*b, or an error if that is no int.
func product(a, b int) (int, error) {
	high, low := bits.Mul64(uint64(a), uint64(b))
	if int64(high)-int64(a>>63&b)-int64(b>>63&a) != int64(low)>>63 {
		return 0, fail(ERR_COUNT, "%d times %d is out of the range of 64 bits", a, b)
	}
	return int(low), nil
}

// times is the layout of count elements. It is made once for calls with the same count.
func (o *typeObject) times(count int) (*datatype.Layout, error) {
	if l := o.layout.Load(); l != nil && l.count == count {
		return &l.Layout, nil
	}
	layout, err := o.Times(int64(count))
	if err != nil {
		return nil, err
	}
	l := &countedLayout{count, layout}
	o.layout.Store(l)
	return &l.Layout, nil
}

// noBuffer says what is wrong with an address in the first page, where there is no memory.
func noBuffer(at Address, n int) error {
	switch at {
	case BOTTOM:
		return fail(ERR_BUFFER, "the buffer is a null pointer, but the message has %d bytes", n)
	case IN_PLACE:
		return notInPlace(at)
	}
	return fail(ERR_BUFFER, "there is no memory at the address of the buffer, %#x: pass that of the data", uintptr(at))
}

// memory is where count elements of a type lie. at is the address of displacement 0, which
// is BOTTOM if the displacements of the type are addresses.
func (o *typeObject) memory(at Address, count int) (comm.Buffer, error) {
	n, err := o.bytesOf(count)
	if err != nil || n == 0 {
		return comm.Buffer{}, err
	}
	if at.nowhere() && (o.dense || at == IN_PLACE) {
		return comm.Buffer{}, noBuffer(at, n)
	}
	if o.dense {
		return comm.Buffer{Bytes: at.Bytes(n)}, nil
	}
	l, err := o.times(count)
	if err != nil {
		return comm.Buffer{}, err
	}
	if origin, ok := l.Contiguous(); ok {
		return comm.Buffer{Bytes: (at + Address(origin)).Bytes(n)}, nil
	}
	return comm.Buffer{Layout: l, Base: uintptr(at)}, nil
}

// memoryFrom is memory whose first element is at a place among elements of the type.
func (o *typeObject) memoryFrom(at Address, place, count int) (comm.Buffer, error) {
	_, extent := o.Extent()
	offset, err := product(place, int(extent))
	if err != nil {
		return comm.Buffer{}, err
	}
	return o.memory(at+Address(offset), count)
}

// buffer is memory for a message of count elements of a type.
func (p *Process) buffer(at Address, count int, t Type) (comm.Buffer, error) {
	o, err := p.messageType(t)
	if err != nil {
		return comm.Buffer{}, err
	}
	return o.memory(at, count)
}

// newType gives a type that a constructor has made a handle.
func (p *Process) newType(o *typeObject, newtype Ptr[Type]) error {
	h := types.add(o)
	if h == 0 {
		return errTooManyTypes
	}
	o.tellSize(h)
	newtype.Set(Type(h))
	return nil
}
