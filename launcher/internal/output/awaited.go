package output

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/gopvas/gopvas/internal/node/processes"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// Awaited tells whether a process waits for what is written to a pipe that is its standard input, and has read all that
// was. The kernel has no event for that: a pipe takes what is written, whether somebody reads or not. It shows in which
// system call a thread waits.
//
// Where the kernel does not tell, the answer is yes: what is passed on too early is read later.
func Awaited(pipe *os.File) bool {
	if n, err := sys.Unread(pipe); err != nil || n > 0 {
		return err != nil
	}
	name, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", pipe.Fd()))
	if err != nil {
		return true
	}
	own := os.Getpid()
	return slices.ContainsFunc(processes.All(), func(p processes.Process) bool {
		switch at, err := os.Readlink(processes.File(p.PID, "fd/0")); {
		case errors.Is(err, fs.ErrPermission):
			return p.Parent == own && hasMemory(p.PID)
		case err != nil || at != name:
			return false
		}
		threads, err := os.ReadDir(processes.File(p.PID, "task"))
		return err == nil && slices.ContainsFunc(threads, func(thread os.DirEntry) bool {
			return waitsFor(processes.File(p.PID, "task/"+thread.Name()), name)
		})
	})
}

// hasMemory tells whether a process has an address space. One that is ending has none, some time before it has ended,
// and then its files in /proc are root's.
func hasMemory(pid int) bool {
	text, err := os.ReadFile(processes.File(pid, "statm"))
	return err == nil && !strings.HasPrefix(string(text), "0 ")
}

// Calls that read from a descriptor, which is their first argument, and that wait for several, by kind: of poll, select
// and epoll.
var (
	reading = []int{syscall.SYS_READ, syscall.SYS_READV, syscall.SYS_SPLICE}
	polls   = append([]int{syscall.SYS_PPOLL}, oldPolls...)
	selects = append([]int{syscall.SYS_PSELECT6}, oldSelects...)
	epolls  = append([]int{syscall.SYS_EPOLL_PWAIT, epollPwait2}, oldEpolls...)
)

const epollPwait2 = 441 // on all architectures

// waitsFor tells whether a thread waits in a call that reads from a file. thread is its folder in /proc. For which
// files poll and select wait is in the thread's memory: they may wait for this one.
func waitsFor(thread, file string) bool {
	text, err := os.ReadFile(thread + "/syscall")
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ESRCH)
	}
	fields := strings.Fields(string(text))
	number, err := strconv.Atoi(fields[0])
	if err != nil || len(fields) < 3 { // it runs
		return false
	}
	argument := func(i int) string {
		value, _ := strconv.ParseUint(fields[i], 0, 64) // the kernel writes numbers
		return strconv.FormatUint(value, 10)
	}
	is := func(fd string) bool {
		at, err := os.Readlink(thread + "/fd/" + fd)
		return err == nil && at == file
	}
	switch {
	case slices.Contains(reading, number):
		return is(argument(1))
	case number == syscall.SYS_SENDFILE:
		return is(argument(2))
	case slices.Contains(selects, number): // of no descriptor it is a sleep
		return argument(1) != "0"
	case slices.Contains(polls, number):
		return argument(2) != "0"
	case slices.Contains(epolls, number):
		info, _ := os.ReadFile(thread + "/fdinfo/" + argument(1)) // an error: it has closed that
		return slices.ContainsFunc(strings.Split(string(info), "\n"), func(line string) bool {
			entry := strings.Fields(line)
			return len(entry) > 1 && entry[0] == "tfd:" && is(entry[1])
		})
	}
	return false
}
