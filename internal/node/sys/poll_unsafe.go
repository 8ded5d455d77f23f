package sys

import (
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// MostPolled is how many descriptors a PollSet takes.
const MostPolled = 17

// PollSet is descriptors to wait for until one is readable. Its zero value is empty.
type PollSet struct {
	fds [MostPolled]unix.PollFd
	n   int
}

// Add adds a descriptor. The first one has the index 0. A set that is full ignores more. A negative one
// is never readable.
func (p *PollSet) Add(fd int) {
	if p.n < MostPolled {
		p.fds[p.n] = unix.PollFd{Fd: int32(fd), Events: unix.POLLIN}
		p.n++
	}
}

// Wait sleeps until a descriptor is readable, the time has passed, or a signal came. A negative
// time is forever. The sleep is as exact as the kernel's timers, unlike those of the Go scheduler.
func (p *PollSet) Wait(d time.Duration) {
	var limit *unix.Timespec
	if d >= 0 {
		t := unix.NsecToTimespec(int64(d))
		limit = &t
	}
	if _, err := unix.Ppoll(p.fds[:p.n], limit, nil); err != nil {
		p.forget()
	}
}

// WaitQuietly is Wait for a time of 0 or more, and as FutexWaitBriefly: the Go scheduler does not
// learn of it. disturbed says that a signal has ended it.
func (p *PollSet) WaitQuietly(d time.Duration) (disturbed bool) {
	limit := unix.NsecToTimespec(int64(d))
	_, _, errno := unix.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&p.fds)), uintptr(p.n),
		uintptr(unsafe.Pointer(&limit)), 0, 0, 0)
	if errno != 0 {
		p.forget()
	}
	return errno == syscall.EINTR
}

// forget clears the results.
func (p *PollSet) forget() {
	for i := range p.fds[:p.n] {
		p.fds[i].Revents = 0
	}
}

// Readable tells whether the last wait found the descriptor of an index readable.
func (p *PollSet) Readable(i int) bool { return p.fds[i].Revents != 0 }

// Failing tells whether it found an error there, and nothing to be read.
func (p *PollSet) Failing(i int) bool { return p.Readable(i) && p.fds[i].Revents&unix.POLLIN == 0 }
