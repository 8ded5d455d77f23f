//go:build !race

package coll

// The race detector knows nothing of atomic operations on memory outside the Go
// heap. In its builds these tell it what a board orders; see order_race_unsafe.go.

func orderRelease() {}
func orderAcquire() {}
