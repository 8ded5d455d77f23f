package sys

import (
	"fmt"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// IOVec is a piece of memory, as struct iovec is: of any process, so it is an address. The caller keeps
// the memory alive.
type IOVec struct {
	Addr uintptr
	Len  uint64
}

// IOVecMax is how many pieces a call takes at most.
const IOVecMax = 1024

// ReadFileAt reads from an offset of a file into pieces of memory, at most IOVecMax of them. It returns
// fewer bytes at the end of the file. The error is an errno.
func ReadFileAt(fd int, to []IOVec, offset int64) (int, error) {
	return vectored(unix.SYS_PREADV, fd, to, offset)
}

// WriteFileAt writes pieces of memory, at most IOVecMax of them, to an offset of a file. It may write fewer
// bytes. The error is an errno.
func WriteFileAt(fd int, from []IOVec, offset int64) (int, error) {
	return vectored(unix.SYS_PWRITEV, fd, from, offset)
}

func vectored(call uintptr, fd int, pieces []IOVec, offset int64) (int, error) {
	if len(pieces) == 0 {
		return 0, nil
	}
	for {
		n, _, errno := unix.Syscall6(call, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(pieces))),
			uintptr(len(pieces)), uintptr(offset), 0, 0)
		switch errno {
		case 0:
			return int(n), nil
		case syscall.EINTR:
			continue
		}
		return 0, errno
	}
}

// GatherProcess copies pieces of the memory of another process to dst, which is as long as they are. At
// most IOVecMax of them. It takes the right to ptrace the process, as ReadProcess.
func GatherProcess(pid int, dst []byte, pieces []IOVec) error {
	return crossMemory(unix.SYS_PROCESS_VM_READV, "process_vm_readv", pid, dst, pieces)
}

// ScatterProcess copies src to pieces of the memory of another process, as GatherProcess copies from them.
func ScatterProcess(pid int, src []byte, pieces []IOVec) error {
	return crossMemory(unix.SYS_PROCESS_VM_WRITEV, "process_vm_writev", pid, src, pieces)
}

func crossMemory(call uintptr, name string, pid int, mine []byte, theirs []IOVec) error {
	if len(mine) == 0 {
		return nil
	}
	local := IOVec{AddrOf(mine), uint64(len(mine))}
	n, _, errno := unix.Syscall6(call, uintptr(pid), uintptr(unsafe.Pointer(&local)), 1,
		uintptr(unsafe.Pointer(unsafe.SliceData(theirs))), uintptr(len(theirs)), 0)
	switch {
	case errno != 0:
		return fmt.Errorf("%s of process %d: %w", name, pid, errno)
	case int(n) != len(mine):
		return fmt.Errorf("%s of process %d: %d of %d bytes: %w", name, pid, int(n), len(mine), unix.EFAULT)
	}
	return nil
}

// FileSize returns the length of an open file.
func FileSize(fd int) (int64, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return 0, err
	}
	return st.Size, nil
}

// Allocate makes room for the first bytes of an open file, which becomes that long if it is shorter.
func Allocate(fd int, bytes int64) error {
	if bytes == 0 {
		return nil
	}
	err := unix.Fallocate(fd, 0, 0, bytes)
	if err != unix.EOPNOTSUPP {
		return err
	}
	size, err := FileSize(fd)
	if err == nil && size < bytes {
		err = unix.Ftruncate(fd, bytes)
	}
	return err
}
