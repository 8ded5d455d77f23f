//go:build amd64 || arm64

package pvas

import (
	"fmt"
	"runtime"
	"syscall"
	"unsafe"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// A call is one raw system call of a script.
type call struct {
	nr   uintptr
	args [6]uintptr
}

// A script has the steps of a new task before its program starts: system calls in
// order, then a jump. The child reads it and writes failed, errno and done; the
// parent reads those after the state word has left stateStarting, and frees the
// script no earlier.
//
// State word, at the top of the task's stack:
//
//	stateStarting  by the parent, before clone
//	stateReady     by the child, when every call has succeeded
//	0              by the kernel (CLONE_CHILD_CLEARTID), when the task has
//	               died; a C library points the kernel elsewhere later
//
// The kernel wakes waiters of the word when it clears it, so the parent cannot
// miss a child that is killed at any instruction.
type script struct {
	calls  *call
	count  uintptr
	entry  uintptr
	state  uintptr // address of the state word
	failed uintptr // 1 + index of the call that failed
	errno  uintptr
	done   uintptr
}

const (
	stateStarting = 1
	stateReady    = 2
)

// cloneTask is implemented in assembly. The pointer to thread-local storage is 0 in the child, as after execve: its C
// library sets its own. The pointers of the call escape on purpose: the
// child reads the script while the parent's goroutine stack may move.
func cloneTask(flags, stack uintptr, pidfd *int32, state uintptr, s *script) (pid, errno uintptr)

// runScript clones a task that runs the steps and then enters the program. It
// blocks until the program runs or will never run; failed then is the step that
// could not be done, -1 where it was none of them.
func runScript(flags uintptr, sp, entry, state uint64, steps []step) (child childIDs, failed int, err error) {
	calls := make([]call, len(steps))
	for i := range steps {
		calls[i] = steps[i].call
	}
	s := &script{calls: unsafe.SliceData(calls), count: uintptr(len(calls)),
		entry: uintptr(entry), state: uintptr(state)}
	word := sys.Word(uintptr(state))
	word.Store(stateStarting)

	// With a signal between clone and the mask that the script sets last, a Go
	// handler would run in the child, on no goroutine.
	runtime.LockOSThread()
	mask := sys.BlockSignals()
	pidfd := new(int32)
	flags |= syscall.CLONE_CHILD_CLEARTID | syscall.CLONE_SETTLS
	pid, errno := cloneTask(flags, uintptr(sp), pidfd, uintptr(state), s)
	sys.SetSignalMask(mask)
	runtime.UnlockOSThread()
	if errno != 0 {
		return childIDs{}, -1, fmt.Errorf("clone: %w", syscall.Errno(errno))
	}
	for word.Load() == stateStarting {
		if err := sys.FutexWait(word, stateStarting); err != nil {
			return childIDs{}, -1, err
		}
	}
	child = childIDs{int(pid), int(*pidfd)}
	failed = -1
	switch {
	case s.failed != 0:
		failed, err = int(s.failed)-1, syscall.Errno(s.errno)
	case s.done == 0:
		err = errKilledEarly
	}
	runtime.KeepAlive(calls)
	runtime.KeepAlive(steps)
	return child, failed, err
}

// probeClone starts a child that shares this process's memory and ends at once: its
// script's only call is exit_group. A sibling is reaped by this process's parent.
func probeClone(sibling bool) error {
	const size = 64 << 10
	stack, err := sys.Mmap(0, size, sys.ProtRead|sys.ProtWrite, sys.MapPrivate|sys.MapAnonymous, -1, 0)
	if err != nil {
		return err
	}
	defer func() { _ = sys.Munmap(stack, size) }()
	state := uint64(stack) + size - 64
	exit := step{what: "exit_group"}
	exit.nr = syscall.SYS_EXIT_GROUP
	child, _, err := runScript(cloneFlags(sibling), state-64, 0, state, []step{exit})
	if child.pid == 0 {
		return err
	}
	_ = syscall.Close(child.pidfd)
	if !sibling {
		_, err = sys.WaitPid(child.pid)
		return err
	}
	return nil
}
