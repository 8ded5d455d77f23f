package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/gopvas/gopvas/internal/lab/bench/meter"
	"github.com/gopvas/gopvas/internal/lab/bench/runner"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/launcher"
	"github.com/gopvas/gopvas/pagetable"
)

// FootprintConfig describes a run of Footprint.
type FootprintConfig struct {
	Ranks       []int         // numbers of ranks
	Sizes       []int         // bytes that each rank sends to each other, at least 1
	Repetitions int           // calls of Alltoall in a job
	Limit       time.Duration // a job makes no more calls after this time
	Contenders  []runner.Contestant
	Step        func(contestant string, ranks, bytes int) // told before each job; nil: nobody
}

// A FootprintResult is one job of Footprint. Growth is that between two moments in
// which all ranks stand still: before the first call and after the last.
type FootprintResult struct {
	Contender runner.Contestant `json:"-"`

	Benchmark   string  `json:"benchmark"` // "footprint"
	BTL         string  `json:"btl"`       // pvas, sm, or the name of the peer
	SingleCopy  string  `json:"single_copy"`
	Ranks       int     `json:"ranks"`
	Bytes       int     `json:"bytes"`
	Repetitions int     `json:"repetitions"`
	Avg         float64 `json:"t_avg_us"`

	// PageTableKiB is what PageTables of /proc/meminfo has grown by since before the
	// job: its total, and whatever the machine did meanwhile. It is nil where the rest of
	// the machine has changed by as much.
	PageTableKiB *int64 `json:"pagetable_kib"`
	// PageTableGrowthKiB is the growth of VmPTE, summed over the address spaces.
	PageTableGrowthKiB int64 `json:"pagetable_growth_kib"`
	// MemoryGrowthKiB is what MemAvailable of /proc/meminfo has fallen by, whoever it was,
	// or nil, likewise.
	MemoryGrowthKiB *int64 `json:"memory_growth_kib"`
	// PSSGrowthKiB is the growth of the processes' own memory, summed over the address
	// spaces; what k of them share counts 1/k in each.
	PSSGrowthKiB int64 `json:"pss_growth_kib"`
	// IdlePSSKiB is the memory of a rank before the first call, with its buffers and its share of the host. The program
	// of the ranks is this one, which is larger than others. It is nil for peers.
	IdlePSSKiB *int64 `json:"idle_pss_kib"`
	// ModelKiB is what the model expects PageTableGrowthKiB to be, given how much of
	// one another's memory the processes have mapped: nothing in one address space.
	// It is nil for peers, whose mappings are not known.
	ModelKiB *uint64 `json:"model_kib"`
}

// Footprint is the memory experiment of the PVAS paper ("Evaluation", memory): all
// ranks call Alltoall again and again, and what page tables and memory have grown by
// is read before they end. Buffers are there before the first reading. It passes each
// result to emit as it is there. A contestant whose job fails runs no more; the error tells of all that have failed.
func Footprint(ctx context.Context, cfg FootprintConfig, emit func(FootprintResult) error) error {
	failed := make([]error, len(cfg.Contenders))
	for _, n := range cfg.Sizes {
		for _, ranks := range cfg.Ranks {
			for i, c := range cfg.Contenders {
				if failed[i] != nil {
					continue
				}
				if cfg.Step != nil {
					cfg.Step(c.String(), ranks, n)
				}
				r, err := cfg.once(ctx, c, ranks, n)
				if err != nil {
					failed[i] = fmt.Errorf("bench: footprint: %s with %d ranks, %d bytes: %w", c, ranks, n, err)
				} else if err := emit(r); err != nil {
					return err
				}
				if ctx.Err() != nil {
					return cmp.Or(failed[i], context.Cause(ctx))
				}
			}
		}
	}
	return errors.Join(failed...)
}

// once runs and measures one job.
func (cfg *FootprintConfig) once(ctx context.Context, c runner.Contestant, ranks, n int) (FootprintResult, error) {
	r := FootprintResult{
		Contender: c, Benchmark: "footprint", BTL: c.Name, SingleCopy: c.Path(), Ranks: ranks, Bytes: n,
	}
	args := []string{"footprint", strconv.Itoa(n), strconv.Itoa(cfg.Repetitions),
		runner.Seconds(cfg.Limit), strconv.Itoa(ranks)}
	if c.IsPeer() {
		return r, r.ofPeer(ctx, c, args)
	}
	return r, r.ofOurs(ctx, c, args)
}

// ofPeer runs a peer, whose ranks read their own page tables.
func (r *FootprintResult) ofPeer(ctx context.Context, c runner.Contestant, args []string) error {
	before, err := pagetable.System()
	if err != nil {
		return err
	}
	out, err := c.Run(ctx, r.Ranks, args)
	if err != nil {
		return err
	}
	var atEnd, memory int64
	_, err = fmt.Sscan(string(out), &r.Repetitions, &r.Avg, &r.PageTableGrowthKiB, &memory, &r.PSSGrowthKiB, &atEnd)
	if err != nil {
		return fmt.Errorf("unexpected output %.200q: %w", out, err)
	}
	after, err := pagetable.System()
	if err != nil {
		return err
	}
	tables := atEnd - before.PageTables
	tableNoise, memoryNoise := meter.Noise(before, after, before.Folded, runtime.NumCPU())
	r.PageTableKiB, r.MemoryGrowthKiB = Known(tables, tables > tableNoise), Known(memory, memory > memoryNoise)
	return nil
}

// ofOurs runs a job of this project.
func (r *FootprintResult) ofOurs(ctx context.Context, c runner.Contestant, args []string) error {
	out, m, err := c.RunMetered(ctx, r.Ranks, args, func(*launcher.Job) {})
	if err != nil {
		return err
	}
	if _, err := fmt.Sscan(string(out), &r.Repetitions, &r.Avg); err != nil {
		return fmt.Errorf("unexpected output %.200q: %w", out, err)
	}
	r.PageTableKiB, r.MemoryGrowthKiB = Known(m.SystemTables()), Known(m.MemoryGrowth())
	r.PageTableGrowthKiB = m.PageTableGrowthKiB
	r.PSSGrowthKiB = m.PSSGrowthKiB
	r.IdlePSSKiB = Known((m.PSSKiB-m.PSSGrowthKiB)/int64(r.Ranks), true)
	model := uint64(0)
	if r.BTL == job.BTLSM.String() {
		mapped := uint64(max(m.SharedGrowthKiB, 0)) << 10
		model = pagetable.Separate(r.Ranks, mapped/uint64(r.Ranks*r.Ranks)).KiB()
	}
	r.ModelKiB = &model
	return nil
}

// Memory is about how many bytes the buffers of the largest job take.
func (c *FootprintConfig) Memory() float64 {
	ranks := float64(slices.Max(c.Ranks))
	return 2 * float64(slices.Max(c.Sizes)) * ranks * ranks
}
