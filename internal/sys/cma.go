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
