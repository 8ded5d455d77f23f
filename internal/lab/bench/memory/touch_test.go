package memory

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/lab/bench/meter"
	"github.com/gopvas/gopvas/pagetable"
)

// faked is a measurement of a job with so many KiB of page tables, on a machine that shows
// others before the job, during and after it.
func faked(own, before, during, after int64, folded bool) meter.Measurement {
	memory := func(tables int64) pagetable.Memory {
		return pagetable.Memory{PageTables: tables, MemAvailable: 1 << 20, Folded: folded}
	}
	start := pagetable.Sample{Job: pagetable.Sum{Spaces: 1, Ranks: 8}, System: memory(before)}
	start.Job.VmPTE = own - 32
	end := start
	end.Job.VmPTE, end.System = own, memory(during)
	end.System.MemAvailable -= 5000
	m := meter.Measurement{Report: pagetable.NewReport("pvas", 2<<20, memory(before), start, end), Elapsed: time.Second}
	m.AddNoise(memory(before), memory(after), 2)
	return m
}

// A job's total is what belongs to the job. What the whole machine shows is a figure only
// where the machine has changed by less when the job has gone.
func TestTouchLeavesOutNoise(t *testing.T) {
	for name, c := range map[string]struct {
		measured meter.Measurement
		machine  any
	}{
		"quiet":              {faked(600, 10_000, 10_620, 10_000, true), int64(620)},
		"little noise":       {faked(600, 10_000, 10_720, 10_100, true), int64(720)},
		"others came":        {faked(600, 10_000, 11_384, 11_400, true), nil},
		"others went":        {faked(1_000, 10_000, 10_268, 9_260, true), nil},
		"others went, more":  {faked(600, 10_000, 9_500, 8_900, true), nil},
		"others went early":  {faked(1_324, 10_000, 10_076, 10_000, true), nil},
		"late counters":      {faked(600, 10_000, 10_620, 10_000, false), nil},
		"late, but it shows": {faked(60_000, 10_000, 70_020, 10_000, false), int64(60_020)},
	} {
		r := newTouchResult("pvas", 8, 2<<20, c.measured)
		require.Equal(t, c.measured.PageTableKiB, r.PageTableKiB, name)
		require.EqualValues(t, 32, r.PageTableGrowthKiB, name)
		require.EqualValues(t, 32, r.ModelKiB, name)
		if c.machine == nil {
			require.Nil(t, r.MachineTableKiB, name)
			continue
		}
		require.NotNil(t, r.MachineTableKiB, name)
		require.Equal(t, c.machine, *r.MachineTableKiB, name)
	}
	for growth, noise := range map[int64]int64{5000: 100, -72: 0, 50: 50} {
		_, ok := meter.Measurement{MemoryGrowthKiB: growth, MemoryNoiseKiB: noise}.MemoryGrowth()
		require.Equal(t, growth > noise, ok)
	}
	quiet := newTouchResult("pvas", 8, 2<<20, faked(600, 10_000, 10_620, 10_000, true))
	require.EqualValues(t, 5000, *quiet.MemoryGrowthKiB)
}
