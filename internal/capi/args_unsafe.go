package capi

import (
	"unsafe"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// pointer makes a pointer to memory of the C program. The garbage collector does not manage
// that memory, and the caller does not keep the pointer beyond the access. See
// Process.guard for null pointers.
func pointer(addr uintptr) unsafe.Pointer {
	if addr < firstPage {
		null()
	}
	return *(*unsafe.Pointer)(unsafe.Pointer(&addr))
}

// word returns an argument: the frame that it is in is never at a null pointer.
func (a slots) word(i int) uintptr {
	at := uintptr(a) + uintptr(i)*8
	return *(*uintptr)(*(*unsafe.Pointer)(unsafe.Pointer(&at)))
}

// firstPage is the size of the page at address 0, which is never mapped: an address in it is
// an element of an array at a null pointer.
const firstPage = 4096

func loadWord(addr uintptr) uintptr     { return *(*uintptr)(pointer(addr)) }
func storeWord(addr uintptr, v uintptr) { *(*uintptr)(pointer(addr)) = v }

func loadInt(addr uintptr, wide bool) int {
	if wide {
		return int(*(*int64)(pointer(addr)))
	}
	return int(*(*int32)(pointer(addr)))
}

func storeInt(addr uintptr, v int, wide bool) {
	if wide {
		*(*int64)(pointer(addr)) = int64(v)
	} else {
		*(*int32)(pointer(addr)) = int32(v)
	}
}

// heldBytes is the size of a handle in the memory of the program.
const heldBytes = unsafe.Sizeof(held(0))

// loadHandle reads a handle and returns its number.
func loadHandle(addr uintptr) uintptr { return inward(uintptr(*(*held)(pointer(addr)))) }

// Get reads the handle.
func (p Ptr[T]) Get() T { return T(loadHandle(p.addr)) }

// Set writes the handle.
func (p Ptr[T]) Set(v T) { *(*held)(pointer(p.addr)) = held(outward(uintptr(v))) }

func (s Status) words() *statusWords { return (*statusWords)(pointer(s.addr)) }

// storeString writes v and a zero byte. Go 1.26.8 does not compile the copy of a constant to
// an address that is a number, which inlining makes of it.
//
//go:noinline
func storeString(addr uintptr, v string) {
	to := unsafe.Slice((*byte)(pointer(addr)), len(v)+1)
	copy(to, v)
	to[len(v)] = 0
}

// String copies the string. That of a null pointer is empty.
func (s CString) String() string {
	if s == 0 {
		return ""
	}
	n := 0
	for *(*byte)(pointer(uintptr(s) + uintptr(n))) != 0 {
		n++
	}
	return string(sys.Bytes(uintptr(s), n))
}

// Bytes views n bytes of a buffer of the program, for the time of a copy.
func (a Address) Bytes(n int) []byte {
	if n == 0 {
		return nil
	}
	return sys.Bytes(uintptr(a), n)
}

// slice views n handles as the program has them, for the time of a call.
func (a Handles[T]) slice(n int) []held {
	if n <= 0 {
		return nil
	}
	return unsafe.Slice((*held)(pointer(a.addr)), n)
}

// newCells makes words whose addresses C can be given. They are on the heap, where
// they do not move: a compiler that sees through the call would put them on the stack.
//
//go:noinline
func newCells(n int) []uint64 { return make([]uint64, n) }

// addressOf is the address of a cell. The caller keeps the cells reachable as long as C uses it.
func addressOf(cells []uint64, i int) uintptr { return uintptr(unsafe.Pointer(&cells[i])) }
