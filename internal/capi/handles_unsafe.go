package capi

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

// A handle of an object that is not predefined is a number of 31 bits, so that it fits into
// a Fortran INTEGER. The lower 4 bits are the kind of the object. The next 20 bits are the
// place in the table of that kind, counted from firstPlace on. The upper 7 bits differ each
// time the place is used anew. So a handle that was freed, or is of another kind, is detected.
const (
	kindBits  = 4
	placeBits = 20
	useBits   = 7

	kindMask = 1<<kindBits - 1

	firstPlace  = 64 // so that all handles are above the constants of the ABI
	chunkPlaces = 256
)

// handleKind tells the tables apart.
type handleKind uintptr

const (
	kindComm handleKind = 1 + iota
	kindGroup
	kindType
	kindOp
	kindRequest
	kindInfo
	kindErrhandler
	kindWin
	kindFile
	kindSession
	kindMessage
	kindGraph

	// Of the tool information interface.
	kindControl
	kindToolSession
	kindCounter
)

// placeOf is the place that a handle names.
func placeOf(handle uintptr) int {
	return int(handle>>kindBits&(1<<placeBits-1)) - firstPlace
}

// firstHandle is the handle that a place has first.
func firstHandle(place int, kind handleKind) uintptr {
	return uintptr(place+firstPlace)<<kindBits | uintptr(kind)
}

// nextHandle is the handle that a place has after another one.
func nextHandle(h uintptr) uintptr {
	return (h + 1<<(kindBits+placeBits)) & (1<<(kindBits+placeBits+useBits) - 1)
}

// table has the objects of a kind. It is a typed view of places, which know no type. Else each kind of objects would
// have types of its own that follow from T, and every rank their descriptions.
type table[T any] struct{ places }

// tableOf returns the empty table of a kind.
func tableOf[T any](kind handleKind) table[T] { return table[T]{places{kind: kind}} }

// get returns the object of a handle, nil if there is none.
func (t *table[T]) get(handle uintptr) *T { return (*T)(t.places.get(handle)) }

// add gives an object a handle. It returns 0 if there are a million objects already.
func (t *table[T]) add(object *T) uintptr { return t.places.add(unsafe.Pointer(object)) }

// remove forgets the object of a handle and returns it, or nil if there is none.
func (t *table[T]) remove(handle uintptr) *T { return (*T)(t.places.remove(handle)) }

// places are those of a table. Objects are added and removed under the lock, and looked
// up without it: a thread gets a handle after the object was added. A program that uses a
// handle while it frees it is wrong: it gets an object that is or was in the table, or none.
type places struct {
	kind   handleKind
	chunks atomic.Pointer[[]*chunk]

	mu   sync.Mutex
	used int // places that were ever used
	free []int
}

type chunk [chunkPlaces]entry

// entry is a place. Its handle has been given out for object, or if that is nil it was the
// last one.
type entry struct {
	handle atomic.Uintptr
	object unsafe.Pointer // by sync/atomic
}

func (p *places) entry(place int) *entry {
	chunks := p.chunks.Load()
	if chunks == nil || place < 0 || place/chunkPlaces >= len(*chunks) {
		return nil
	}
	return &(*chunks)[place/chunkPlaces][place%chunkPlaces]
}

func (p *places) get(handle uintptr) unsafe.Pointer {
	if e := p.entry(placeOf(handle)); e != nil && e.handle.Load() == handle {
		return atomic.LoadPointer(&e.object)
	}
	return nil
}

func (p *places) add(object unsafe.Pointer) uintptr {
	p.mu.Lock()
	defer p.mu.Unlock()
	place := p.used
	if n := len(p.free); n > 0 {
		place, p.free = p.free[n-1], p.free[:n-1]
	} else if place+firstPlace >= 1<<placeBits {
		return 0
	} else {
		p.used++
		p.grow()
	}
	e := p.entry(place)
	handle := firstHandle(place, p.kind)
	if last := e.handle.Load(); last != 0 {
		handle = nextHandle(last)
	}
	e.handle.Store(handle)
	atomic.StorePointer(&e.object, object)
	return handle
}

// grow makes the chunk of the last place, unless it is there.
func (p *places) grow() {
	var chunks []*chunk
	if old := p.chunks.Load(); old != nil {
		chunks = *old
	}
	if p.used > len(chunks)*chunkPlaces {
		chunks = append(chunks[:len(chunks):len(chunks)], new(chunk))
		p.chunks.Store(&chunks)
	}
}

func (p *places) remove(handle uintptr) unsafe.Pointer {
	p.mu.Lock()
	defer p.mu.Unlock()
	place := placeOf(handle)
	e := p.entry(place)
	if e == nil || e.handle.Load() != handle {
		return nil
	}
	object := atomic.SwapPointer(&e.object, nil)
	if object != nil {
		p.free = append(p.free, place)
	}
	return object
}

// len is how many objects there are.
func (p *places) len() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.used - len(p.free)
}

// kindNames are what MPI calls the kinds.
var kindNames = [...]string{"", "communicator", "group", "datatype", "operator", "request", "info object",
	"error handler", "window", "file", "session", "message", "graph"}

// kindClasses are the error classes of wrong handles.
var kindClasses = [...]int{0, ERR_COMM, ERR_GROUP, ERR_TYPE, ERR_OP, ERR_REQUEST, ERR_INFO,
	ERR_ERRHANDLER, ERR_WIN, ERR_FILE, ERR_SESSION, ERR_REQUEST, ERR_ARG}

// constantKind returns the kind of a constant of the ABI, from the first number of each.
func constantKind(h uintptr) (handleKind, bool) {
	switch {
	case h >= 0x20 && h < 0x40:
		return kindOp, true
	case h >= 0x200:
		return kindType, true
	case h < 0x100 || h >= 0x188:
		return 0, false
	}
	starts := [...]struct {
		at   uintptr
		kind handleKind
	}{{0x180, kindRequest}, {0x140, kindErrhandler}, {0x130, kindInfo}, {0x128, kindMessage}, {0x120, kindSession},
		{0x118, kindFile}, {0x110, kindWin}, {0x108, kindGroup}, {0x100, kindComm}}
	for _, s := range starts {
		if h >= s.at {
			return s.kind, true
		}
	}
	return 0, false
}

// wrongHandle says what is wrong with a handle that should be of a kind.
func wrongHandle(kind handleKind, h uintptr) error {
	alone()
	name, class := kindNames[kind], kindClasses[kind]
	if kind == kindErrhandler && (handlesAreObjects || handlesAreInts) {
		class = ERR_ARG // headers of Open MPI 4 and 5, and of MPICH 4.0, have no class of error handlers
	}
	if h < 0x400 {
		is, known := constantKind(h)
		switch {
		case !known:
			return fail(class, "%#x is no %s: it was never set", h, name)
		case is == kind:
			return fail(class, "the %s %#x is null, or cannot be used here", name, h)
		}
		return fail(class, "%#x is of kind %s, not %s", h, kindNames[is], name)
	}
	if is := handleKind(h & (1<<kindBits - 1)); is != 0 && is <= kindGraph && is != kind && h < 1<<31 {
		return fail(class, "%#x is of kind %s, not %s", h, kindNames[is], name)
	}
	return fail(class, "the %s %#x was freed, or never made", name, h)
}
