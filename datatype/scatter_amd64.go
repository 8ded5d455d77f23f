//go:build !race

package datatype

// fetches tells that scatter8 has the processor fetch cache lines before it writes to them.
const fetches = true

// scatter8 copies count words of 8 bytes, at least one. It fetches the cache line of each for
// writing, some words ahead: the processor does so by itself for reading alone.
//
//go:noescape
func scatter8(to uintptr, toStride int64, from uintptr, fromStride, count int64)
