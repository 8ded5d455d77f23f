//go:build !amd64 && !arm64

package sys

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// Yield lets other threads run on this CPU, and keeps the Go scheduler out of it.
func Yield() { _, _, _ = syscall.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0) }
