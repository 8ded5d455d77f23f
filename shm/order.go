//go:build !race

package shm

// OrderRelease and OrderAcquire tell the race detector what atomic operations on memory
// outside the Go heap order, of which it knows nothing. In other builds they do nothing; see
// order_race_unsafe.go.

func OrderRelease() {}
func OrderAcquire() {}
