//go:build race

package shm

import (
	"runtime"
	"unsafe"
)

// orderPoint stands for all words in shared memory by which ranks hand memory over. It orders
// more than they do, which can hide a race from the detector and never makes one up. Tests
// that run ranks as goroutines of one process need it; the words themselves are tested in Go
// memory, by the tests of this package.
var orderPoint byte

// OrderRelease stands before an atomic operation that hands memory over.
func OrderRelease() { runtime.RaceReleaseMerge(unsafe.Pointer(&orderPoint)) }

// OrderAcquire stands behind one that has found such an operation.
func OrderAcquire() { runtime.RaceAcquire(unsafe.Pointer(&orderPoint)) }
