//go:build race

package coll

import (
	"runtime"
	"unsafe"
)

// orderPoint stands for all words of all boards. It orders more than they do, which
// can hide a race from the detector and never makes one up.
var orderPoint byte

// orderRelease stands before an atomic operation that hands memory over.
func orderRelease() { runtime.RaceReleaseMerge(unsafe.Pointer(&orderPoint)) }

// orderAcquire stands behind one that has found such an operation.
func orderAcquire() { runtime.RaceAcquire(unsafe.Pointer(&orderPoint)) }
