package capi

import (
	"sync"
	"sync/atomic"
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

// table has the objects of a kind. Objects are added and removed under the lock, and looked
// up without it: a thread gets a handle after the object was added. A program that uses a
// handle while it frees it is wrong: it gets an object that is or was in the table, or none.
type table[T any] struct {
	kind   handleKind
	chunks atomic.Pointer[[]*chunk[T]]

	mu   sync.Mutex
	used int // places that were ever used
	free []int
}

type chunk[T any] [chunkPlaces]entry[T]

// entry is a place. Its handle has been given out for object, or if that is nil it was the
// last one.
type entry[T any] struct {
	handle atomic.Uintptr
	object atomic.Pointer[T]
}

func (t *table[T]) entry(place int) *entry[T] {
	chunks := t.chunks.Load()
	if chunks == nil || place < 0 || place/chunkPlaces >= len(*chunks) {
		return nil
	}
	return &(*chunks)[place/chunkPlaces][place%chunkPlaces]
}

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

// get returns the object of a handle, nil if there is none.
func (t *table[T]) get(handle uintptr) *T {
	if e := t.entry(placeOf(handle)); e != nil && e.handle.Load() == handle {
		return e.object.Load()
	}
	return nil
}

// add gives an object a handle. It returns 0 if there are a million objects already.
func (t *table[T]) add(object *T) uintptr {
	t.mu.Lock()
	defer t.mu.Unlock()
	place := t.used
	if n := len(t.free); n > 0 {
		place, t.free = t.free[n-1], t.free[:n-1]
	} else if place+firstPlace >= 1<<placeBits {
		return 0
	} else {
		t.used++
		t.grow()
	}
	e := t.entry(place)
	handle := firstHandle(place, t.kind)
	if last := e.handle.Load(); last != 0 {
		handle = nextHandle(last)
	}
	e.handle.Store(handle)
	e.object.Store(object)
	return handle
}

// grow makes the chunk of the last place, unless it is there.
func (t *table[T]) grow() {
	var chunks []*chunk[T]
	if old := t.chunks.Load(); old != nil {
		chunks = *old
	}
	if t.used > len(chunks)*chunkPlaces {
		chunks = append(chunks[:len(chunks):len(chunks)], new(chunk[T]))
		t.chunks.Store(&chunks)
	}
}

// remove forgets the object of a handle and returns it, or nil if there is none.
func (t *table[T]) remove(handle uintptr) *T {
	t.mu.Lock()
	defer t.mu.Unlock()
	place := placeOf(handle)
	e := t.entry(place)
	if e == nil || e.handle.Load() != handle {
		return nil
	}
	object := e.object.Swap(nil)
	if object != nil {
		t.free = append(t.free, place)
	}
	return object
}

// len is how many objects there are.
func (t *table[T]) len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.used - len(t.free)
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
	if kind == kindErrhandler && handlesAreObjects {
		class = ERR_ARG // headers of Open MPI 4 and 5 have no class of error handlers
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
