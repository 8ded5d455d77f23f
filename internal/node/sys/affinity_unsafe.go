package sys

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// MostCPU is the highest number that a CPU may have here. Kernels for 8,192 CPUs are the largest built.
const MostCPU = 1<<16 - 1

// A mask of CPUs is an array of words, as the kernel has it. To read one it must be as long as the kernel's own, which
// has a bit for each CPU that the machine might ever have. To write one any length will do.
const (
	wordBits  = 64
	leastMask = 1 << 10 / wordBits // words
	mostMask  = (MostCPU + 1) / wordBits
)

// CPUMask returns the mask of a list of CPUs: words of 64 bits, as many as it takes.
func CPUMask(cpus []int) []uint64 {
	mask := make([]uint64, leastMask)
	for _, cpu := range cpus {
		for cpu/wordBits >= len(mask) {
			mask = append(mask, 0)
		}
		mask[cpu/wordBits] |= 1 << (cpu % wordBits)
	}
	return mask
}

// Affinity returns the CPUs the calling thread may run on, ascending.
func Affinity() ([]int, error) { return affinity(getAffinity) }

// affinity asks with longer and longer masks.
func affinity(get func(mask []uint64) error) ([]int, error) {
	for words := leastMask; ; words *= 2 {
		mask := make([]uint64, words)
		err := get(mask)
		if errors.Is(err, unix.EINVAL) && words < mostMask {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("sched_getaffinity: %w", err)
		}
		var cpus []int
		for cpu := range words * wordBits {
			if mask[cpu/wordBits]>>(cpu%wordBits)&1 != 0 {
				cpus = append(cpus, cpu)
			}
		}
		return cpus, nil
	}
}

func getAffinity(mask []uint64) error { return maskCall(unix.SYS_SCHED_GETAFFINITY, 0, mask) }

func setAffinity(tid int, mask []uint64) error {
	return maskCall(unix.SYS_SCHED_SETAFFINITY, tid, mask)
}

// maskCall makes a system call about the mask of a thread; tid 0: of the calling one.
func maskCall(number uintptr, tid int, mask []uint64) error {
	_, _, errno := unix.RawSyscall(number, uintptr(tid), uintptr(len(mask)*wordBits/8),
		uintptr(unsafe.Pointer(unsafe.SliceData(mask))))
	if errno != 0 {
		return errno
	}
	return nil
}

// SetAffinity binds the calling thread, and the processes it starts from now
// on, to the given CPUs.
func SetAffinity(cpus []int) error {
	if err := setAffinity(0, CPUMask(cpus)); err != nil {
		return fmt.Errorf("sched_setaffinity %v: %w", cpus, err)
	}
	return nil
}

// SetProcessAffinity binds all threads of this process, and what it starts from now on.
func SetProcessAffinity(cpus []int) error {
	mask := CPUMask(cpus)
	for done := map[int]bool{}; ; {
		threads, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return err
		}
		before := len(done)
		for _, thread := range threads {
			tid, err := strconv.Atoi(thread.Name())
			if err != nil || done[tid] {
				continue
			}
			done[tid] = true
			if err := setAffinity(tid, mask); err != nil && !errors.Is(err, unix.ESRCH) {
				return fmt.Errorf("sched_setaffinity %v: %w", cpus, err)
			}
		}
		if len(done) == before { // no thread has begun meanwhile
			return nil
		}
	}
}

// Niceness returns that of the calling thread, 0 if the kernel does not tell.
func Niceness() int {
	const zero = 20 // the kernel gives 20 less the niceness
	got, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	if err != nil {
		return 0
	}
	return zero - got
}

// NiceBy returns the niceness of the calling thread plus by, and nil for no change.
func NiceBy(by int) *int {
	if by == 0 {
		return nil
	}
	const most, least = 19, -20
	nice := min(max(Niceness()+by, least), most)
	return &nice
}

// MayNice tells whether this user may start processes with the niceness of the calling thread plus by. Less than one
// has takes a privilege, or a limit (RLIMIT_NICE). So it tries. The way back is always allowed.
func MayNice(by int) bool {
	if by >= 0 {
		return true
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	own := Niceness()
	if unix.Setpriority(unix.PRIO_PROCESS, 0, *NiceBy(by)) != nil {
		return false
	}
	return unix.Setpriority(unix.PRIO_PROCESS, 0, own) == nil
}
