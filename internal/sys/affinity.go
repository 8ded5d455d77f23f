package sys

import (
	"fmt"

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
