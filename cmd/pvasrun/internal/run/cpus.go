package run

import (
	"fmt"

	"github.com/gopvas/gopvas/internal/node/limits"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/internal/node/topology"
)

// useCPUs restricts this process, and so all that it starts, to the CPUs of --cpu-set.
func (f *placeFlags) useCPUs() error {
	if f.CPUSet == "" {
		return nil
	}
	set, err := topology.ParseList(f.CPUSet)
	if err != nil {
		return fmt.Errorf("--cpu-set %s: %w: write for example 0-3,8", f.CPUSet, err)
	}
	if err := sys.SetProcessAffinity(set); err != nil {
		return fmt.Errorf("--cpu-set %s: %w: name CPUs that this process may use", f.CPUSet, err)
	}
	return nil
}

// cpus is how many CPUs a job on this node may use at a time, at least 1.
func cpus() int {
	list, err := sys.Affinity()
	if err != nil {
		return 1
	}
	return limits.CPUs(len(list))
}
