package sys

import "golang.org/x/sys/unix"

// Numbers of system calls and their arguments that prepared scripts of raw
// calls are made of.
const (
	CallCloseRange = unix.SYS_CLOSE_RANGE
	CloseUnshare   = unix.CLOSE_RANGE_UNSHARE

	PrSetName = unix.PR_SET_NAME

	CloneVM     = unix.CLONE_VM
	CloneFiles  = unix.CLONE_FILES
	CloneParent = unix.CLONE_PARENT
	ClonePidfd  = unix.CLONE_PIDFD
)

// EEXIST is what MapFixedNoReplace meets where memory is mapped already.
const EEXIST = unix.EEXIST
