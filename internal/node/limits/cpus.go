package limits

import (
	"io/fs"
	"math"
	"os"
	"path"
	"strings"
)

// CPUQuota returns how many CPUs the control groups of this process let it use at a time: the least of its group and
// those above it, of both versions. It may be a fraction. 0 means that no group says so.
func CPUQuota(root fs.FS) (least float64) {
	groups, _ := fs.ReadFile(root, "proc/self/cgroup") // an error: there are none
	mounts, _ := fs.ReadFile(root, "proc/self/mountinfo")
	for _, g := range groupFolders(string(groups), string(mounts), "cpu") {
		for dir := g.dir; ; dir = path.Dir(dir) {
			if q := readQuota(root, strings.TrimPrefix(dir, "/")); q > 0 && (least == 0 || q < least) {
				least = q
			}
			if dir == g.top || dir == "." || dir == "/" {
				break
			}
		}
	}
	return least
}

// readQuota reads a group of either version; 0: it has no quota.
func readQuota(root fs.FS, dir string) float64 {
	if text, err := fs.ReadFile(root, path.Join(dir, "cpu.max")); err == nil {
		return parseQuota(string(text))
	}
	quota, err := fs.ReadFile(root, path.Join(dir, "cpu.cfs_quota_us"))
	if err != nil {
		return 0
	}
	period, _ := fs.ReadFile(root, path.Join(dir, "cpu.cfs_period_us")) // an error: as no quota
	return parseQuota(string(quota) + " " + string(period))
}

// parseQuota returns the quotient of "QUOTA PERIOD", in microseconds. The quota may be max, or -1, for none.
func parseQuota(text string) float64 {
	words := strings.Fields(text)
	if len(words) != 2 {
		return 0
	}
	quota, err := parseUint(words[0])
	period, err2 := parseUint(words[1])
	if err != nil || err2 != nil || quota == 0 || period == 0 {
		return 0
	}
	return float64(quota) / float64(period)
}

// CPUs returns how many of so many CPUs this process may use at a time: no more than its quota, rounded up.
func CPUs(n int) int { return withinQuota(n, CPUQuota(os.DirFS("/"))) }

func withinQuota(n int, quota float64) int {
	if quota > 0 && quota < float64(n) {
		return int(math.Ceil(quota))
	}
	return n
}
