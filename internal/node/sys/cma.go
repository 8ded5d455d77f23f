package sys

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// ReadProcess copies len(dst) bytes at addr in the memory of the process pid to
// dst and returns how many it got: fewer when the range runs into memory that
// is not mapped. This is cross memory attach (CMA); it takes the right to ptrace
// the process, and the errno is EPERM without it.
func ReadProcess(pid int, addr uintptr, dst []byte) (int, error) {
	if len(dst) == 0 {
		return 0, nil
	}
	local := []unix.Iovec{{Base: &dst[0]}}
	local[0].SetLen(len(dst))
	remote := []unix.RemoteIovec{{Base: addr, Len: len(dst)}}
	n, err := unix.ProcessVMReadv(pid, local, remote, 0)
	runtime.KeepAlive(dst)
	if err != nil {
		return 0, fmt.Errorf("process_vm_readv of process %d: %w", pid, err)
	}
	return n, nil
}

// GatherProcess copies pieces of the memory of another process, at most IOVecMax of them, to dst, which is as long as
// they are. It takes the right to ptrace the process, as ReadProcess.
func GatherProcess(pid int, dst []byte, pieces []IOVec) error {
	return crossMemory(unix.ProcessVMReadv, "process_vm_readv", pid, dst, pieces)
}

// ScatterProcess copies src to pieces of the memory of another process, as GatherProcess copies from them.
func ScatterProcess(pid int, src []byte, pieces []IOVec) error {
	return crossMemory(unix.ProcessVMWritev, "process_vm_writev", pid, src, pieces)
}

func crossMemory(call func(int, []unix.Iovec, []unix.RemoteIovec, uint) (int, error), name string, pid int, mine []byte,
	theirs []IOVec) error {
	if len(mine) == 0 {
		return nil
	}
	local := []unix.Iovec{{Base: &mine[0]}}
	local[0].SetLen(len(mine))
	n, err := call(pid, local, theirs, 0)
	switch {
	case err != nil:
		return fmt.Errorf("%s of process %d: %w", name, pid, err)
	case n != len(mine):
		return fmt.Errorf("%s of process %d: %d of %d bytes: %w", name, pid, n, len(mine), unix.EFAULT)
	}
	return nil
}
