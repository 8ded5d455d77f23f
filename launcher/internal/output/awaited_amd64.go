package output

import "syscall"

// Calls that newer architectures do not have.
var (
	oldPolls   = []int{syscall.SYS_POLL}
	oldSelects = []int{syscall.SYS_SELECT}
	oldEpolls  = []int{syscall.SYS_EPOLL_WAIT}
)
