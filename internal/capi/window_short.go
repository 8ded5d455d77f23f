package capi

import (
	"math"
	"sync/atomic"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/msg/window"
)

// Tables is where C finds what it needs to do short one-sided calls itself, and to tell sizes of types: see
// cmd/libmpi/window.c and types.c.
var Tables struct {
	Windows [shortWindows]atomic.Pointer[window.Window] // by the lower bits of the places of their handles
	Types   [shortTypes]atomic.Uint32                   // by their handles from firstPredefined on; see shortKind
	Made    [madeTypes]atomic.Uint64                    // by the lower bits of places; see tellSize
}

const (
	shortWindows = 256
	shortTypes   = 0x100
	madeTypes    = 256

	spread = 1 << 31 // of a size in Made: the type is not dense
)

// tellSize lets C know the size of a type that the program has made, below its handle, and whether it is dense. It
// takes the place of an older one.
func (o *typeObject) tellSize(handle uintptr) {
	if size := uint64(o.Size()); size <= math.MaxInt32 {
		if !o.dense {
			size |= spread
		}
		madePlace(handle).Store(uint64(handle)<<32 | size)
	}
}

// forgetSize is called before the handle of a type is freed.
func forgetSize(handle uintptr) {
	place := madePlace(handle)
	if old := place.Load(); old>>32 == uint64(handle) {
		place.CompareAndSwap(old, 0)
	}
}

func madePlace(handle uintptr) *atomic.Uint64 { return &Tables.Made[handle>>kindBits%madeTypes] }

// shorten lets C know a window, unless its calls are watched. It takes the place of an older one. Of a dynamic window
// only Go knows what is attached.
func shorten(o *windowObject) {
	if o.w.Watched() || o.w.Flavor() == window.Dynamic {
		return
	}
	o.w.Handle.Store(uintptr(o.handle))
	shortPlace(o).Store(o.w)
}

// lengthen takes a window from C.
func lengthen(o *windowObject) {
	o.w.Handle.Store(0)
	shortPlace(o).CompareAndSwap(o.w, nil)
}

func shortPlace(o *windowObject) *atomic.Pointer[window.Window] {
	return &Tables.Windows[o.handle>>kindBits%shortWindows]
}

// WindowChanged wakes the ranks that wait for words of a window, after C has changed one. Its handle is at an address.
func WindowChanged(handle uintptr) {
	if o := process.windows.get(loadWord(handle)); o != nil {
		o.w.Changed()
	}
}

// WindowWaits yields, since C has read a word of a window again and again. The handle is at an address.
func WindowWaits(handle uintptr) {
	if o := process.windows.get(loadWord(handle)); o != nil {
		o.w.Yield()
	}
}

// What elements are to C.
const (
	shortInteger = 1 // of 4 or 8 bytes
	shortFloat   = 2 // of 4 or 8 bytes

	shortKindShift = 16
)

// shortKind is what C knows of a predefined type: 0 of pairs; else the size of an element, and what it is.
func (o *typeObject) shortKind() uint32 {
	b := o.traits.basic
	if b == nil {
		return 0
	}
	kind := 0
	if o.traits.reduces && (b.size == 4 || b.size == 8) {
		switch b.kind {
		case datatype.KindInteger, datatype.KindUnsigned:
			kind = shortInteger
		case datatype.KindFloat:
			kind = shortFloat
		}
	}
	return uint32(o.unit | kind<<shortKindShift)
}
