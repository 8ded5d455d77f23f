package capi

import "unsafe"

// newCells makes words whose addresses C can be given. They are on the heap, where
// they do not move: a compiler that sees through the call would put them on the stack.
//
//go:noinline
func newCells(n int) []uint64 { return make([]uint64, n) }

// addressOf is the address of a cell. The caller keeps the cells reachable as long as C uses it.
func addressOf(cells []uint64, i int) uintptr { return uintptr(unsafe.Pointer(&cells[i])) }
