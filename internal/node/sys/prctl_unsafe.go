package sys

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ChildSubreaper reports whether orphans among the descendants of this process
// become its children.
func ChildSubreaper() (bool, error) {
	// On the heap: the kernel writes an int through the number.
	value := new(int32)
	err := unix.Prctl(unix.PR_GET_CHILD_SUBREAPER, uintptr(unsafe.Pointer(value)), 0, 0, 0)
	runtime.KeepAlive(value)
	return *value != 0, err
}

// SetChildSubreaper makes this process the parent of every descendant whose own
// parent has ended, or stops that. It counts for the whole process.
func SetChildSubreaper(on bool) error {
	var arg uintptr
	if on {
		arg = 1
	}
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, arg, 0, 0, 0)
}

// UnadvisedHugePagesOff turns transparent huge pages off, but where madvise asks for them, for the address space of
// this process and for programs that it starts. Kernels before Linux 6.18 turn off the others as well.
func UnadvisedHugePagesOff() error {
	if unix.Prctl(unix.PR_SET_THP_DISABLE, 1, unix.PR_THP_DISABLE_EXCEPT_ADVISED, 0, 0) == nil {
		return nil
	}
	return unix.Prctl(unix.PR_SET_THP_DISABLE, 1, 0, 0, 0)
}

// HugePagesAreOff tells whether transparent huge pages are turned off for this process.
func HugePagesAreOff() bool {
	off, err := unix.PrctlRetInt(unix.PR_GET_THP_DISABLE, 0, 0, 0, 0)
	return err == nil && off != 0
}

// HugePagesOn undoes UnadvisedHugePagesOff, for the address space of this process.
func HugePagesOn() error { return unix.Prctl(unix.PR_SET_THP_DISABLE, 0, 0, 0, 0) }

// A memoryMap is what the kernel shows of a program's memory, as PR_SET_MM_MAP takes it: struct prctl_mm_map.
type memoryMap struct {
	startCode, endCode, startData, endData, startBreak, endBreak uint64

	startStack, startArgs, endArgs, startEnv, endEnv uint64

	auxv    uint64
	auxSize uint32 // 0: it stays as it is
	program int32  // -1: likewise
}

// commandLine is what the kernel shows as that of this address space. It reads it here, so it stays.
var commandLine []byte

// SetCommandLine changes the command line that the kernel shows, of this process and of those that share its address
// space. It takes no privilege, but not every kernel has it. The program sees its arguments as before.
func SetCommandLine(args []string) error {
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return err
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	const first, last = 3, 51 // numbers of the fields there, as proc(5) has them
	if len(fields) <= last-first {
		return fmt.Errorf("/proc/self/stat: %q has too few fields", stat)
	}
	field := func(number int) uint64 {
		n, _ := strconv.ParseUint(fields[number-first], 10, 64) // the kernel writes numbers
		return n
	}
	end, _, _ := unix.RawSyscall(unix.SYS_BRK, 0, 0, 0) // it does not move: this asks
	line := []byte(strings.Join(args, "\x00") + "\x00")
	at := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(line))))
	m := &memoryMap{startCode: field(26), endCode: field(27), startStack: field(28), startData: field(45),
		endData: field(46), startBreak: field(47), endBreak: uint64(end), startArgs: at,
		endArgs: at + uint64(len(line)), startEnv: field(50), endEnv: field(51), program: -1}
	before := commandLine
	commandLine = line
	err = unix.Prctl(unix.PR_SET_MM, unix.PR_SET_MM_MAP, uintptr(unsafe.Pointer(m)), unsafe.Sizeof(*m), 0)
	runtime.KeepAlive(m)
	if err != nil {
		commandLine = before
	}
	return wrapErrno("prctl PR_SET_MM_MAP", err)
}
