package main

import (
	"context"
	"fmt"
	"runtime"

	"github.com/gopvas/gopvas/bench"
)

// distancesOf says how far apart the CPUs of two ranks mostly are: once, for all fits. On one CPU there is no
// distance.
func (f *fitFlags) distancesOf(ctx context.Context, ranks bench.Contestant) (bench.Distances, error) {
	if d, known := f.placed[ranks.Name]; known || runtime.NumCPU() < 2 {
		return d, nil
	}
	d, err := bench.FindDistances(ctx, ranks)
	if err != nil {
		return d, err
	}
	if f.placed == nil {
		f.placed = map[string]bench.Distances{}
	}
	f.placed[ranks.Name] = d
	return d, nil
}

// sayDistances tells at which distance the times were measured.
func sayDistances(d bench.Distances) string {
	if d.Used == 0 {
		return ""
	}
	text := fmt.Sprintf("a cache line mostly took %.0f ns between the CPUs and back", d.Used)
	if n := d.Elsewhere(); n > 0 {
		text += fmt.Sprintf(
			"; in %d of %d jobs it took another time: the host moves the CPUs of this machine, and times at other "+
				"distances are left out where there are enough", n, len(d.Seen))
	}
	return text + "\n"
}
