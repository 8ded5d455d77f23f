//go:build !amd64 || race

package datatype

// Without instructions to fetch a cache line there is nothing to gain. The race detector sees
// only what is compiled.
const fetches = false

func scatter8(to uintptr, toStride int64, from uintptr, fromStride, count int64) {
	words[uint64](to, toStride, from, fromStride, count)
}
