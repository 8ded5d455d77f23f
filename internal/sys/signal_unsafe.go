package sys

import (
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// NumSignals is the highest signal number.
const NumSignals = 64

// SigsetSize is the size of the kernel's signal set, and SigSetMask the mode of
// rt_sigprocmask that replaces the mask.
const (
	SigsetSize = 8
	SigSetMask = unix.SIG_SETMASK
)

// Sigaction is the kernel's structure of rt_sigaction; its zero value is the
// default action.
type Sigaction struct {
	Handler  uintptr
	Flags    uint64
	Restorer uintptr
	Mask     uint64
}

// SignalIgnored reports whether this process ignores the signal.
func SignalIgnored(sig int) bool {
	const sigIgn = 1
	var old Sigaction
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), 0, uintptr(unsafe.Pointer(&old)), SigsetSize, 0, 0)
	return errno == 0 && old.Handler == sigIgn
}

// BlockSignals blocks every signal of the calling thread and returns the mask
// it had. The caller has locked the goroutine to the thread.
func BlockSignals() (old uint64) {
	all := ^uint64(0)
	_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGPROCMASK, SigSetMask, uintptr(unsafe.Pointer(&all)), uintptr(unsafe.Pointer(&old)), SigsetSize, 0, 0)
	return old
}

// SetSignalMask replaces the signal mask of the calling thread.
func SetSignalMask(mask uint64) {
	_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGPROCMASK, SigSetMask, uintptr(unsafe.Pointer(&mask)), 0, SigsetSize, 0, 0)
}

// Word views the 32-bit word at a mapped, 4-byte aligned address.
func Word(addr uintptr) *atomic.Uint32 {
	return (*atomic.Uint32)(*(*unsafe.Pointer)(unsafe.Pointer(&addr)))
}
