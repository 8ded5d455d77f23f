package pagetable

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// Memory is the state of the whole machine, from /proc/meminfo, in KiB.
type Memory struct {
	PageTables   int64
	MemAvailable int64 // the kernel's estimate of what could be had without swapping
	MemFree      int64
	AnonPages    int64
	Shmem        int64 // tmpfs, memfds and shared anonymous memory

	// Folded is true when the counters held back per CPU were added in before
	// reading; see System for the error otherwise.
	Folded bool
}

// System reads the state of the whole machine.
//
// The kernel counts per CPU. It adds a CPU's share to the sum every vm.stat_interval
// (1 s by default), and at once if the share exceeds a threshold of at most 125 pages.
// System has all shares added first by writing to vm.stat_refresh, which only root may
// do. Where that is refused Folded is false, and each counter may be off by 125 pages
// (500 KiB) per CPU and memory node. After one second without change it is right again.
//
// Every process of the machine is in these numbers. MemFree and MemAvailable
// also leave out the free pages that CPUs keep in lists of their own.
func System() (Memory, error) {
	folded := foldCounters()
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return Memory{}, fmt.Errorf("pagetable: system: %w", err)
	}
	m := Memory{Folded: folded}
	if err := parseMeminfo(text, &m); err != nil {
		return Memory{}, fmt.Errorf("pagetable: system: meminfo: %w", err)
	}
	return m, nil
}

// foldCounters asks the kernel to add up its per-CPU counters and reports
// whether it did.
func foldCounters() bool {
	f, err := os.OpenFile("/proc/sys/vm/stat_refresh", os.O_WRONLY, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	_, err = f.WriteString("1\n")
	// EINVAL is how some kernels say, after the adding up, that a counter was
	// found below zero.
	return err == nil || errors.Is(err, syscall.EINVAL)
}
