package sys

import (
	"math"
	"sync/atomic"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Operations of futex(2). x/sys/unix has the call's number only. Neither word
// carries FUTEX_PRIVATE_FLAG: processes with another address space (the supervisor,
// ranks of the sm task model) also wait for these words, and a private wake would
// miss them.
const (
	futexWait = 0
	futexWake = 1
)

// FutexWait puts the calling thread to sleep until FutexWake is called on word, in
// any process that has the same memory mapped. It returns nil when woken, when word
// does not hold val any more, and when a signal has arrived. So the caller looks
// again. An error means that word is not memory one can wait on.
func FutexWait(word *atomic.Uint32, val uint32) error {
	_, _, errno := unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)),
		futexWait, uintptr(val), 0, 0, 0)
	if errno == syscall.EAGAIN || errno == syscall.EINTR {
		return nil
	}
	return wrap("futex(FUTEX_WAIT)", errno)
}

// FutexWake wakes every thread that sleeps in FutexWait on word.
func FutexWake(word *atomic.Uint32) error {
	_, _, errno := unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)),
		futexWake, math.MaxInt32, 0, 0, 0)
	return wrap("futex(FUTEX_WAKE)", errno)
}

// FutexWaitBriefly is FutexWait that returns after at most ns nanoseconds, and that the
// Go scheduler does not learn of: the thread keeps its place. No goroutine of this
// process runs in it meanwhile. But nothing needs to be handed over and taken back,
// which costs several times what the sleep does. It is for processes that have nothing
// else to do, and for short times: the collector may have to wait for it too.
//
// It returns false if the time is over, or if word is not memory one can wait on. So it
// does if a signal arrived: the Go scheduler sends one when it wants the thread.
func FutexWaitBriefly(word *atomic.Uint32, val uint32, ns int64) bool {
	limit := unix.NsecToTimespec(ns)
	_, _, errno := syscall.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)),
		futexWait, uintptr(val), uintptr(unsafe.Pointer(&limit)), 0, 0)
	return errno == 0 || errno == syscall.EAGAIN
}
