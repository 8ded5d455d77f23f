package memory

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/gopvas/gopvas/internal/lab/bench/meter"
	"github.com/gopvas/gopvas/internal/lab/bench/runner"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/launcher"
	"github.com/gopvas/gopvas/pagetable"
)

// TouchConfig describes a run of Touch.
type TouchConfig struct {
	Ranks     []int                       // numbers of ranks, one job of each for each BTL
	Bytes     uint64                      // shared memory of each rank
	BTLs      []string                    // "pvas", "sm"
	HugePages job.HugePages               // of the memory in one address space
	Step      func(btl string, ranks int) // told before each job; nil: nobody
}

// A TouchResult is one job of Touch. Sizes are KiB.
type TouchResult struct {
	Benchmark string `json:"benchmark"` // "touch"
	BTL       string `json:"btl"`
	Ranks     int    `json:"ranks"`
	Bytes     uint64 `json:"bytes"`

	// PageTableKiB is the job's total: VmPTE of its address spaces, each counted once,
	// right before Finalize.
	PageTableKiB int64 `json:"pagetable_kib"`
	// PageTableGrowthKiB is what VmPTE of the job's address spaces has grown by
	// since every rank was in Init.
	PageTableGrowthKiB int64 `json:"pagetable_growth_kib"`
	// MachineTableKiB is the total by the paper's method: what PageTables of /proc/meminfo
	// has grown by from before the job to right before Finalize. It is nil where the rest
	// of the machine has changed by as much.
	MachineTableKiB *int64 `json:"machine_pagetable_kib"`
	// MemoryGrowthKiB is what MemAvailable has fallen by, by the same method.
	MemoryGrowthKiB *int64 `json:"memory_growth_kib"`
	// ModelKiB is what the model expects PageTableGrowthKiB to be, without huge pages.
	ModelKiB uint64 `json:"model_kib"`
	// Seconds passed between the two stops.
	Seconds float64 `json:"seconds"`
}

// Touch runs the experiment: each rank has cfg.Bytes of shared memory, every
// rank reads all of every peer's, all stop, the page tables are read. It passes
// each result to emit as it is there and returns at the first job that fails.
func Touch(ctx context.Context, cfg TouchConfig, emit func(TouchResult) error) error {
	for _, n := range cfg.Ranks {
		for _, btl := range cfg.BTLs {
			if cfg.Step != nil {
				cfg.Step(btl, n)
			}
			r, err := touchOnce(ctx, cfg, btl, n)
			if err != nil {
				return fmt.Errorf("bench: touch: %s with %d ranks: %w", btl, n, err)
			}
			if err := emit(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// touchOnce runs and measures one job.
func touchOnce(ctx context.Context, cfg TouchConfig, btl string, n int) (TouchResult, error) {
	args := []string{"touch", strconv.FormatUint(cfg.Bytes, 10)}
	_, report, err := runner.Contestant{Name: btl}.RunMetered(ctx, n, args, func(j *launcher.Job) {
		j.HugePages = cfg.HugePages
	})
	if err != nil {
		return TouchResult{}, err
	}
	return newTouchResult(btl, n, cfg.Bytes, report), nil
}

func newTouchResult(btl string, n int, bytes uint64, m meter.Measurement) TouchResult {
	return TouchResult{
		Benchmark: "touch", BTL: btl, Ranks: n, Bytes: bytes,
		PageTableKiB:       m.PageTableKiB,
		PageTableGrowthKiB: m.PageTableGrowthKiB,
		MachineTableKiB:    Known(m.SystemTables()),
		MemoryGrowthKiB:    Known(m.SystemMemory()),
		ModelKiB:           modelKiB(btl, m.Report),
		Seconds:            m.Elapsed.Seconds(),
	}
}

// Known is a figure, or nil where there is none.
func Known(kib int64, ok bool) *int64 {
	if !ok {
		return nil
	}
	return &kib
}

func modelKiB(btl string, r pagetable.Report) uint64 {
	if btl == job.BTLPvas.String() {
		return r.ModelSharedKiB
	}
	return r.ModelSeparateKiB
}

// Memory is about how many bytes the shared memory of the largest job takes.
func (c *TouchConfig) Memory() float64 { return float64(c.Bytes) * float64(slices.Max(c.Ranks)) }
