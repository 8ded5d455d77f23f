//go:build !race

package mail

// The race detector knows nothing of atomic operations on memory outside the Go
// heap. In its builds these tell it that direct transfers are ordered; see
// order_race_unsafe.go.

func orderRelease() {}
func orderAcquire() {}
