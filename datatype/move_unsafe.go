package datatype

import (
	"unsafe"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// pointer is the one place where an address becomes a pointer. The caller uses the pointer for
// one access and drops it. The collector may see a pointer into foreign memory, but not one
// that points just behind an object of its own.
func pointer(addr uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&addr)) }

// move copies n bytes.
func move(to, from uintptr, n int64) {
	copy(sys.Bytes(to, int(n)), sys.Bytes(from, int(n)))
}

// Words that are longer than those of the processor.
type (
	word128 [2]uint64
	word256 [4]uint64
	word512 [8]uint64
)

// moveShort copies n bytes, with few instructions if they are few.
func moveShort(to, from uintptr, n int64) {
	switch {
	case n == 8:
		*(*uint64)(pointer(to)) = *(*uint64)(pointer(from))
	case n == 4:
		*(*uint32)(pointer(to)) = *(*uint32)(pointer(from))
	default:
		move(to, from, n)
	}
}

// strided copies count runs of size bytes. Up to 128 bytes are copied as one word, or as two
// that may overlap.
func strided(to uintptr, toStride int64, from uintptr, fromStride, count, size int64) {
	switch {
	case size == 8 && fetches && count >= leastScattered && abs(toStride) >= cacheLine:
		scatter(to, toStride, from, fromStride, count)
	case size == 8:
		words[uint64](to, toStride, from, fromStride, count)
	case size == 4:
		words[uint32](to, toStride, from, fromStride, count)
	case size == 1:
		words[uint8](to, toStride, from, fromStride, count)
	case size == 2:
		words[uint16](to, toStride, from, fromStride, count)
	case size > 128:
		runs(to, toStride, from, fromStride, count, size)
	case size > 64:
		pairs[word512](to, toStride, from, fromStride, count, uintptr(size)-64)
	case size > 32:
		pairs[word256](to, toStride, from, fromStride, count, uintptr(size)-32)
	case size > 16:
		pairs[word128](to, toStride, from, fromStride, count, uintptr(size)-16)
	case size > 8:
		pairs[uint64](to, toStride, from, fromStride, count, uintptr(size)-8)
	case size > 4:
		pairs[uint32](to, toStride, from, fromStride, count, uintptr(size)-4)
	default:
		pairs[uint16](to, toStride, from, fromStride, count, uintptr(size)-2)
	}
}

const (
	leastScattered = 32   // words, from which on scatter8 is faster
	mostScattered  = 4096 // of a call: the runtime cannot interrupt it
)

// scatter copies count words, each to a cache line of its own.
func scatter(to uintptr, toStride int64, from uintptr, fromStride, count int64) {
	for count > 0 {
		n := min(count, mostScattered)
		scatter8(to, toStride, from, fromStride, n)
		to += uintptr(n * toStride)
		from += uintptr(n * fromStride)
		count -= n
	}
}

// words copies count words. It reads four before it writes them: the processor cannot tell
// a load from a store before it in another column that is a multiple of 4 KiB away, and
// would wait.
func words[T any](to uintptr, toStride int64, from uintptr, fromStride, count int64) {
	d, s := uintptr(toStride), uintptr(fromStride)
	for ; count >= 4; count -= 4 {
		a, b := *(*T)(pointer(from)), *(*T)(pointer(from + s))
		c, e := *(*T)(pointer(from + 2*s)), *(*T)(pointer(from + 3*s))
		*(*T)(pointer(to)), *(*T)(pointer(to + d)) = a, b
		*(*T)(pointer(to + 2*d)), *(*T)(pointer(to + 3*d)) = c, e
		to += 4 * d
		from += 4 * s
	}
	for ; count > 0; count-- {
		*(*T)(pointer(to)) = *(*T)(pointer(from))
		to += uintptr(toStride)
		from += uintptr(fromStride)
	}
}

// pairs copies count times two words; the second begins second bytes behind the first.
func pairs[T any](to uintptr, toStride int64, from uintptr, fromStride, count int64, second uintptr) {
	for ; count > 0; count-- {
		*(*T)(pointer(to)) = *(*T)(pointer(from))
		*(*T)(pointer(to + second)) = *(*T)(pointer(from + second))
		to += uintptr(toStride)
		from += uintptr(fromStride)
	}
}

// runs copies count runs of any size.
func runs(to uintptr, toStride int64, from uintptr, fromStride, count, size int64) {
	for ; count > 0; count-- {
		move(to, from, size)
		to += uintptr(toStride)
		from += uintptr(fromStride)
	}
}
