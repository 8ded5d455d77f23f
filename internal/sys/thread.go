package sys

import "golang.org/x/sys/unix"

// ThreadID returns the kernel's number of the calling thread.
func ThreadID() int { return unix.Gettid() }
