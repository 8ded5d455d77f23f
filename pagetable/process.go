package pagetable

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// Usage is what one address space, or several together, cost. Sizes are KiB.
type Usage struct {
	VmPTE  int64 // table pages: PTE, PMD and PUD, not PGD
	VmSize int64 // addresses mapped, touched or not
	RSS    int64 // pages present
	PSS    int64 // the same, a page that k address spaces map counting 1/k
	Shared int64 // addresses mapped MAP_SHARED, touched or not
	Areas  int   // lines of /proc/PID/maps: memory areas, plus [vsyscall] where the kernel has it
}

// add makes u the sum of both.
func (u *Usage) add(v Usage) {
	u.VmPTE += v.VmPTE
	u.VmSize += v.VmSize
	u.RSS += v.RSS
	u.PSS += v.PSS
	u.Shared += v.Shared
	u.Areas += v.Areas
}

// Process reads what the address space of the process costs. Processes that
// share an address space all show the same numbers.
//
// The fields come from three files read one after the other, so they fit
// together only while the process stands still. The kernel walks every page of
// the address space for RSS and PSS, with the lock held that page faults take.
//
// The error wraps fs.ErrNotExist or ESRCH when there is no such process, also
// when it ended meanwhile, and fs.ErrPermission when it may not be read: that
// takes the right to ptrace it. A process that has exited and was not waited
// for yet has no address space, which is an error too.
func Process(pid int) (Usage, error) {
	var u Usage
	if pid <= 0 {
		return u, fmt.Errorf("pagetable: process %d: not a process id", pid)
	}
	if err := readUsage(filepath.Join("/proc", strconv.Itoa(pid)), &u); err != nil {
		return Usage{}, fmt.Errorf("pagetable: process %d: %w", pid, err)
	}
	return u, nil
}

// readUsage fills u from the /proc folder of a process.
func readUsage(dir string, u *Usage) error {
	for _, file := range []struct {
		name  string
		parse func([]byte, *Usage) error
	}{{"status", parseStatus}, {"smaps_rollup", parseRollup}} {
		text, err := os.ReadFile(filepath.Join(dir, file.name))
		if err != nil {
			return err
		}
		if err := file.parse(text, u); err != nil {
			return fmt.Errorf("%s: %w", file.name, err)
		}
	}
	maps, err := os.Open(filepath.Join(dir, "maps"))
	if err != nil {
		return err
	}
	defer maps.Close()
	if err := parseMaps(maps, u); err != nil {
		return fmt.Errorf("maps: %w", err)
	}
	return nil
}

// Sum is what the address spaces of a job cost together.
type Sum struct {
	Spaces int // address spaces
	Ranks  int // ranks living in them
	Usage
}

// Job adds up the address spaces of a job with the given number of ranks. It
// takes the pid of one process per address space, so that what ranks share is
// counted once: one rank or the host for a job in one address space, every rank
// for a job of separate processes. A pid given twice counts once. RSS counts a
// page of shared memory in each address space that maps it; PSS does not.
//
// It fails if any of the processes cannot be read; see [Process].
func Job(spaces []int, ranks int) (Sum, error) {
	if ranks < 1 {
		return Sum{}, fmt.Errorf("pagetable: job of %d ranks: a job has at least one", ranks)
	}
	pids := slices.Compact(slices.Sorted(slices.Values(spaces)))
	if len(pids) == 0 {
		return Sum{}, fmt.Errorf("pagetable: job of %d ranks: no address space given", ranks)
	}
	sum := Sum{Spaces: len(pids), Ranks: ranks}
	for _, pid := range pids {
		u, err := Process(pid)
		if err != nil {
			return Sum{}, err
		}
		sum.add(u)
	}
	return sum, nil
}
