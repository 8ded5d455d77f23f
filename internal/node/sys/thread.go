package sys

import (
	"bytes"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// TimerSlack returns by how many nanoseconds the kernel may delay a timed wait of the calling thread
// (PR_GET_TIMERSLACK); 0 if it does not tell.
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

// ShortenSlices gives all threads of this process time slices of the given length; what they start later inherits them.
// The kernel takes 0.1 ms at least. A thread that wakes gets the CPU at once if its slice is shorter than that of the
// thread that runs (EEVDF, Linux 6.12). It gets no more of the CPU in all. A shorter slice stays. Older kernels, and
// policies without slices, leave everything as it is.
func ShortenSlices(to time.Duration) {
	threads, _ := os.ReadDir("/proc/self/task") // an error: the slices stay
	for _, thread := range threads {
		if tid, err := strconv.Atoi(thread.Name()); err == nil {
			shortenSlice(tid, to)
		}
	}
}

func shortenSlice(tid int, to time.Duration) {
	a, err := unix.SchedGetAttr(tid, 0)
	if err != nil || a.Policy != unix.SCHED_NORMAL || a.Runtime <= uint64(to) {
		return
	}
	a.Runtime = uint64(to)
	_ = unix.SchedSetAttr(tid, a, 0) // an error: the slices stay
}

// RunDelay is what the kernel says of a thread.
type RunDelay struct {
	Thread int           // its number
	Ran    time.Duration // since it began
	Waited time.Duration // likewise, while it could have run and another one had the CPU
}

// ReadRunDelay returns that of the calling thread. The times are 0 if the kernel does not tell them.
func ReadRunDelay() RunDelay {
	fd, err := unix.Open("/proc/thread-self/schedstat", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return RunDelay{}
	}
	defer unix.Close(fd)
	var text [64]byte
	n, _ := unix.Read(fd, text[:]) // an error: there are no words
	r := ParseRunDelay(text[:max(n, 0)])
	r.Thread = unix.Gettid()
	return r
}

// ParseRunDelay reads schedstat of a thread: "RAN WAITED SLICES", the times in nanoseconds.
func ParseRunDelay(text []byte) (r RunDelay) {
	words := bytes.Fields(text)
	if len(words) != 3 {
		return r
	}
	ran, err := strconv.ParseUint(string(words[0]), 10, 63)
	waited, err2 := strconv.ParseUint(string(words[1]), 10, 63)
	if err == nil && err2 == nil {
		r.Ran, r.Waited = time.Duration(ran), time.Duration(waited)
	}
	return r
}
