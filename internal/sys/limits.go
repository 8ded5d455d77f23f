package sys

import "golang.org/x/sys/unix"

// HardLimit returns the value up to which this process may raise its soft limit
// of a resource, Unlimited where it cannot be read. It takes the same names as
// SoftLimit.
func HardLimit(resource int) uint64 {
	var r unix.Rlimit
	if err := unix.Getrlimit(resource, &r); err != nil {
		return Unlimited
	}
	return r.Max
}
