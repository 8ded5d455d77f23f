package sys

import "golang.org/x/sys/unix"

// Monotonic returns the time of CLOCK_MONOTONIC in nanoseconds: the same clock in
// all processes of the machine, unlike the readings that package time keeps to
// itself. It makes a system call.
func Monotonic() int64 {
	var ts unix.Timespec
	// The clock exists on every Linux and the address is good: it cannot fail.
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts)
	return ts.Nano()
}

// ProcessTime returns the CPU time that this process has used, in nanoseconds. It makes a
// system call.
func ProcessTime() int64 {
	var ts unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &ts) // as in Monotonic
	return ts.Nano()
}
