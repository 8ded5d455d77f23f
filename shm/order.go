//go:build !race

package shm

// OrderRelease and OrderAcquire tell the race detector the order that atomic operations on memory
// outside the Go heap make, which it does not see. In other builds they do nothing; see
// order_race_unsafe.go.

func OrderRelease() {}
func OrderAcquire() {}
