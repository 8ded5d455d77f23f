package operator

import "unsafe"

// views views the bytes of both as elements without pointers, as many of the second as there are of the first.
func views[T any](to, from []byte) (inout, in []T) {
	var one T
	n := len(to) / int(unsafe.Sizeof(one))
	inout, in = viewAt[T](unsafe.SliceData(to), n), viewAt[T](unsafe.SliceData(from), len(from)/int(unsafe.Sizeof(one)))
	return inout, in[:n]
}

// viewAt views the bytes from an address on as n elements without pointers.
func viewAt[T any](first *byte, n int) []T { return unsafe.Slice((*T)(unsafe.Pointer(first)), n) }
