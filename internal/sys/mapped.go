package sys

import "golang.org/x/sys/unix"

// Mapped tells whether every page of the n bytes at addr belongs to some mapping
// of this process, with whatever access rights. It reads none of them.
func Mapped(addr, n uintptr) bool {
	if n == 0 {
		return true
	}
	end := addr + n
	if end < addr {
		return false
	}
	start := addr &^ uintptr(unix.Getpagesize()-1)
	// msync(MS_ASYNC) has written nothing since Linux 2.6.19. What is left is the
	// check we are after: ENOMEM if a part of the range is not mapped. mincore
	// finds out the same, but wants a byte of result for every page.
	_, _, errno := unix.Syscall(unix.SYS_MSYNC, start, end-start, unix.MS_ASYNC)
	return errno == 0
}
