package sys

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// maxCPU is one more than the highest CPU number an affinity mask of this
// package holds.
const maxCPU = 1024

// Affinity returns the CPUs the calling thread may run on, ascending.
func Affinity() ([]int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, fmt.Errorf("sched_getaffinity: %w", err)
	}
	cpus := make([]int, 0, set.Count())
	for cpu := range maxCPU {
		if set.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	return cpus, nil
}

// SetAffinity binds the calling thread, and the processes it starts from now
// on, to the given CPUs.
func SetAffinity(cpus []int) error {
	var set unix.CPUSet
	for _, cpu := range cpus {
		set.Set(cpu)
	}
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return fmt.Errorf("sched_setaffinity %v: %w", cpus, err)
	}
	return nil
}

// SetProcessAffinity binds all threads of this process, and what it starts from now on.
func SetProcessAffinity(cpus []int) error {
	var set unix.CPUSet
	for _, cpu := range cpus {
		set.Set(cpu)
	}
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
			if err := unix.SchedSetaffinity(tid, &set); err != nil && err != unix.ESRCH {
				return fmt.Errorf("sched_setaffinity %v: %w", cpus, err)
			}
		}
		if len(done) == before { // no thread has begun meanwhile
			return nil
		}
	}
}

// NiceBy returns the niceness of the calling process plus by, and nil for no change.
func NiceBy(by int) *int {
	own, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	if err != nil || by == 0 {
		return nil
	}
	const zero, most, least = 20, 19, -20 // the kernel gives 20 less the niceness
	nice := min(max(zero-own+by, least), most)
	return &nice
}
