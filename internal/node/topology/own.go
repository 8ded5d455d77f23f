package topology

import (
	"fmt"
	"io/fs"
	"strconv"

	"github.com/gopvas/gopvas/internal/node/limits"
)

// Own says why the usable CPUs belong to one job alone, "" if nothing shows that they do. Somebody has set them apart
// then: Slurm for its job, or whoever made the cpuset of a container or a service. A mask that a process has
// inherited (taskset) sets nothing apart.
func (m *Machine) Own(root fs.FS, getenv func(string) string, usable []int) string {
	if id := getenv("SLURM_JOB_ID"); id != "" {
		// Where Slurm does not confine its jobs, all of the node's CPUs are usable.
		if n, err := strconv.Atoi(getenv("SLURM_CPUS_ON_NODE")); err == nil && len(usable) <= n {
			return "they are those of Slurm's job " + id
		}
		return ""
	}
	set, err := ParseList(limits.Cpuset(root))
	if err != nil || len(set) == 0 || !m.Seen || len(set) >= len(m.CPUs) {
		return ""
	}
	return fmt.Sprintf("they are a cpuset, %s of %d", FormatList(set), len(m.CPUs))
}
