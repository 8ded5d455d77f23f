package sys

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
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
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), 0,
		uintptr(unsafe.Pointer(&old)), SigsetSize, 0, 0)
	return errno == 0 && old.Handler == sigIgn
}

// BlockSignals blocks every signal of the calling thread and returns the mask
// it had. The caller has locked the goroutine to the thread.
func BlockSignals() (old uint64) {
	all := ^uint64(0)
	_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGPROCMASK, SigSetMask, uintptr(unsafe.Pointer(&all)),
		uintptr(unsafe.Pointer(&old)), SigsetSize, 0, 0)
	return old
}

// SetSignalMask replaces the signal mask of the calling thread.
func SetSignalMask(mask uint64) {
	_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGPROCMASK, SigSetMask, uintptr(unsafe.Pointer(&mask)), 0, SigsetSize, 0, 0)
}

// Raise sends a signal to the calling thread. One that ends or stops the process
// does so before Raise returns; Kill of this process may return before.
func Raise(sig syscall.Signal) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return wrapErrno("tgkill", unix.Tgkill(unix.Getpid(), unix.Gettid(), sig))
}

// RaiseDefault is Raise with the default action of the signal, whatever this
// process otherwise does at it. A stop signal stops the process until it is
// continued, unless it is in an orphaned process group.
func RaiseDefault(sig syscall.Signal) error {
	var none, old Sigaction
	action := func(to, was *Sigaction) error {
		_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(to)),
			uintptr(unsafe.Pointer(was)), SigsetSize, 0, 0)
		if errno != 0 {
			return fmt.Errorf("sigaction of %v: %w", sig, errno)
		}
		return nil
	}
	if err := action(&none, &old); err != nil {
		return err
	}
	err := Raise(sig)
	return errors.Join(err, action(&old, nil))
}

// ExecFile makes this process one of the program in f, with all signals blocked and without environment. It returns
// only with an error, and then nothing has changed, unless the goroutine has come to another thread by then. A program
// that runs so cannot be a script.
//
// The goroutine is not locked to its thread, for which the runtime would first start another one. It stays there from
// the one system call to the other, as no signal interrupts it, and nothing that it calls lets another goroutine run.
func ExecFile(f *os.File, argv []string) error {
	fd, err := Fileno(f)
	if err != nil {
		return err
	}
	list, err := syscall.SlicePtrFromStrings(argv)
	if err != nil {
		return err
	}
	var empty byte
	var env *byte
	mask := BlockSignals()
	defer SetSignalMask(mask)
	_, _, errno := unix.RawSyscall6(unix.SYS_EXECVEAT, uintptr(fd), uintptr(unsafe.Pointer(&empty)),
		uintptr(unsafe.Pointer(unsafe.SliceData(list))), uintptr(unsafe.Pointer(&env)), unix.AT_EMPTY_PATH, 0)
	return wrapErrno("execveat", errno)
}

// Word views the 32-bit word at a mapped, 4-byte aligned address.
func Word(addr uintptr) *atomic.Uint32 {
	return (*atomic.Uint32)(*(*unsafe.Pointer)(unsafe.Pointer(&addr)))
}
