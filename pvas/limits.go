package pvas

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gopvas/gopvas/internal/sys"
)

// What one Go task needs of the limits that all tasks share. Measured with
// `pvasrun --report pagetable`; a C task needs about as many mappings and fewer
// threads. MapsPerTask and ThreadsPerTask are upper figures for an idle task.
const (
	MapsPerTask    = 27
	ThreadsPerTask = 6
	mapsOfHost     = 64 // the process that creates the space, before any task

	// AddressSpacePerTask is what a Go runtime reserves outside its partition,
	// in bytes, without using it.
	AddressSpacePerTask = 2 << 30
)

// checkLimits refuses a job that would run into a shared limit half-way, where
// the failure would look like an arbitrary crash of some task.
func checkLimits(tasks int) error {
	n := uint64(tasks)
	checks := []struct {
		name string
		have func() (uint64, bool)
		need uint64
		fix  string
	}{
		{"vm.max_map_count", procNumber("/proc/sys/vm/max_map_count"), n*MapsPerTask + mapsOfHost, "raise it with sysctl vm.max_map_count=N, start fewer ranks, or use --btl sm"},
		{"kernel.threads-max", procNumber("/proc/sys/kernel/threads-max"), n * ThreadsPerTask, "raise it with sysctl kernel.threads-max=N or start fewer ranks"},
		{"kernel.pid_max", procNumber("/proc/sys/kernel/pid_max"), n * ThreadsPerTask, "raise it with sysctl kernel.pid_max=N or start fewer ranks"},
		{"RLIMIT_NPROC (ulimit -u)", processLimit, n * ThreadsPerTask, "raise it with ulimit -u or start fewer ranks"},
		{"pids.max of the control group", pidsMax, n * ThreadsPerTask, "raise it in the container's settings (docker --pids-limit) or start fewer ranks"},
	}
	for _, c := range checks {
		if have, known := c.have(); known && have < c.need {
			return &LimitError{c.name, have, c.need, c.fix}
		}
	}
	return nil
}

func procNumber(path string) func() (uint64, bool) {
	return func() (uint64, bool) {
		b, err := os.ReadFile(path)
		if err != nil {
			return 0, false
		}
		n, err := strconv.ParseUint(strings.TrimSpace(string(b)), 10, 64)
		return n, err == nil // "max" is no limit
	}
}

// processLimit is RLIMIT_NPROC where it applies: not to root.
func processLimit() (uint64, bool) {
	limit := sys.SoftLimit(sys.RlimitNproc)
	return limit, limit != sys.Unlimited && os.Geteuid() != 0
}

// pidsMax is the tightest pids.max of the control groups (version 2) above this
// process.
func pidsMax() (limit uint64, known bool) {
	b, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(b)) {
		group, ok := strings.CutPrefix(strings.TrimSpace(line), "0::")
		if !ok {
			continue
		}
		for dir := filepath.Clean("/" + group); ; dir = filepath.Dir(dir) {
			n, ok := procNumber(fmt.Sprintf("/sys/fs/cgroup%s/pids.max", dir))()
			if ok && (!known || n < limit) {
				limit, known = n, true
			}
			if dir == "/" {
				break
			}
		}
	}
	return limit, known
}
