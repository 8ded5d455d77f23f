package sys

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ChildSubreaper reports whether orphans among the descendants of this process
// become its children.
func ChildSubreaper() (bool, error) {
	// On the heap: the kernel writes an int through the number.
	value := new(int32)
	err := unix.Prctl(unix.PR_GET_CHILD_SUBREAPER, uintptr(unsafe.Pointer(value)), 0, 0, 0)
	runtime.KeepAlive(value)
	return *value != 0, err
}

// SetChildSubreaper makes this process the parent of every descendant whose own
// parent has ended, or stops that. It counts for the whole process.
func SetChildSubreaper(on bool) error {
	var arg uintptr
	if on {
		arg = 1
	}
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, arg, 0, 0, 0)
}

// UnadvisedHugePagesOff turns transparent huge pages off, but where madvise asks for them, for the address space of
// this process and for programs that it starts. Kernels before Linux 6.18 turn off the others as well.
func UnadvisedHugePagesOff() error {
	if unix.Prctl(unix.PR_SET_THP_DISABLE, 1, unix.PR_THP_DISABLE_EXCEPT_ADVISED, 0, 0) == nil {
		return nil
	}
	return unix.Prctl(unix.PR_SET_THP_DISABLE, 1, 0, 0, 0)
}
