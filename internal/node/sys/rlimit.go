package sys

import "golang.org/x/sys/unix"

// Unlimited is the value of a resource limit that does not limit.
const Unlimited = unix.RLIM_INFINITY

// Resources that Limits of a task name.
const (
	RlimitAS     = unix.RLIMIT_AS
	RlimitData   = unix.RLIMIT_DATA
	RlimitNofile = unix.RLIMIT_NOFILE
	RlimitNproc  = unix.RLIMIT_NPROC
	RlimitStack  = unix.RLIMIT_STACK
)

// SetSoftLimit sets the soft limit of a resource for this process and those that it starts.
func SetSoftLimit(resource int, soft uint64) error {
	var r unix.Rlimit
	if err := unix.Getrlimit(resource, &r); err != nil {
		return wrapErrno("getrlimit", err)
	}
	r.Cur = soft
	return wrapErrno("setrlimit", unix.Setrlimit(resource, &r))
}

// SoftLimit returns the soft limit of a resource, Unlimited where it cannot be
// read.
func SoftLimit(resource int) uint64 {
	var r unix.Rlimit
	if err := unix.Getrlimit(resource, &r); err != nil {
		return Unlimited
	}
	return r.Cur
}

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
