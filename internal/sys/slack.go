package sys

import "golang.org/x/sys/unix"

// TimerSlack returns by how many nanoseconds the kernel may delay a timed wait of the calling
// thread (PR_GET_TIMERSLACK); 0 if it does not tell.
func TimerSlack() int {
	ns, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0)
	if err != nil {
		return 0
	}
	return ns
}

// SetTimerSlack changes it. Threads and processes that the thread starts inherit it, also by execve.
// A kernel that refuses leaves it as it is.
func SetTimerSlack(ns int) { _ = unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(ns), 0, 0, 0) }
