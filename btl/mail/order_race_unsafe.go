//go:build race

package mail

import (
	"runtime"
	"unsafe"
)

// orderPoint stands for all words in shared memory by which the ends of a direct
// transfer are ordered. It orders more than they do, which can hide a race from the
// detector and never makes one up. Tests that run ranks as goroutines of one process
// need it; the words themselves are tested in Go memory, by package shm.
var orderPoint byte

// orderRelease stands before an atomic store that hands memory over.
func orderRelease() { runtime.RaceReleaseMerge(unsafe.Pointer(&orderPoint)) }

// orderAcquire stands behind an atomic load that has found such a store.
func orderAcquire() { runtime.RaceAcquire(unsafe.Pointer(&orderPoint)) }
