package pagetable

import (
	"fmt"
	"strings"
)

// Sample is the state of a job and of the machine at one moment.
type Sample struct {
	Job    Sum
	System Memory
}

// Take measures the job and the machine, in this order. See [Job] for the
// arguments. The ranks should stand still meanwhile.
func Take(spaces []int, ranks int) (Sample, error) {
	job, err := Job(spaces, ranks)
	if err != nil {
		return Sample{}, err
	}
	system, err := System()
	if err != nil {
		return Sample{}, err
	}
	return Sample{Job: job, System: system}, nil
}

// Report says what a job cost in page tables and memory, and what the model
// expects. Sizes are KiB unless the name says otherwise; growth is negative
// where something shrank.
type Report struct {
	BTL    string
	Spaces int
	Ranks  int

	// The job's address spaces, from /proc/PID, with every rank stopped right
	// before Finalize; growth is since Init.
	PageTableKiB       int64
	PageTableGrowthKiB int64
	RSSKiB             int64
	RSSGrowthKiB       int64
	PSSKiB             int64
	PSSGrowthKiB       int64
	Areas              int

	// The whole machine, from /proc/meminfo: the difference between before the
	// job and right before Finalize, which is the paper's method. SystemFolded
	// is false if the counters may be late; see [System].
	SystemPageTableKiB int64
	SystemMemoryKiB    int64 // by which MemAvailable fell
	SystemFolded       bool

	// The model, for ranks that each touch all of every rank's shared memory.
	SharedBytes      uint64 // of each rank
	ModelSeparateKiB uint64
	ModelSharedKiB   uint64
}

// NewReport compares three moments of a job: before it (nothing started yet),
// start (every rank in Init) and end (every rank stopped right before Finalize).
// SharedBytes is the memory of each rank that its peers can address.
func NewReport(btl string, sharedBytes uint64, before Memory, start, end Sample) Report {
	ranks := end.Job.Ranks
	return Report{
		BTL:    btl,
		Spaces: end.Job.Spaces,
		Ranks:  ranks,

		PageTableKiB:       end.Job.VmPTE,
		PageTableGrowthKiB: end.Job.VmPTE - start.Job.VmPTE,
		RSSKiB:             end.Job.RSS,
		RSSGrowthKiB:       end.Job.RSS - start.Job.RSS,
		PSSKiB:             end.Job.PSS,
		PSSGrowthKiB:       end.Job.PSS - start.Job.PSS,
		Areas:              end.Job.Areas,

		SystemPageTableKiB: end.System.PageTables - before.PageTables,
		SystemMemoryKiB:    before.MemAvailable - end.System.MemAvailable,
		SystemFolded:       before.Folded && end.System.Folded,

		SharedBytes:      sharedBytes,
		ModelSeparateKiB: Separate(ranks, sharedBytes).KiB(),
		ModelSharedKiB:   Shared(ranks, sharedBytes).KiB(),
	}
}

// Add returns the sums of reports of several machines, each of a part of one job. SharedBytes is
// that of the rank that has most.
func Add(parts []Report) (sum Report) {
	sum.BTL, sum.SystemFolded = parts[0].BTL, true
	for _, r := range parts {
		if r.BTL != sum.BTL {
			sum.BTL = "mixed"
		}
		sum.Spaces, sum.Ranks = sum.Spaces+r.Spaces, sum.Ranks+r.Ranks
		sum.PageTableKiB, sum.PageTableGrowthKiB = sum.PageTableKiB+r.PageTableKiB,
			sum.PageTableGrowthKiB+r.PageTableGrowthKiB
		sum.RSSKiB, sum.RSSGrowthKiB = sum.RSSKiB+r.RSSKiB, sum.RSSGrowthKiB+r.RSSGrowthKiB
		sum.PSSKiB, sum.PSSGrowthKiB = sum.PSSKiB+r.PSSKiB, sum.PSSGrowthKiB+r.PSSGrowthKiB
		sum.Areas += r.Areas
		sum.SystemPageTableKiB, sum.SystemMemoryKiB = sum.SystemPageTableKiB+r.SystemPageTableKiB,
			sum.SystemMemoryKiB+r.SystemMemoryKiB
		sum.SystemFolded = sum.SystemFolded && r.SystemFolded
		sum.SharedBytes = max(sum.SharedBytes, r.SharedBytes)
		sum.ModelSeparateKiB, sum.ModelSharedKiB = sum.ModelSeparateKiB+r.ModelSeparateKiB,
			sum.ModelSharedKiB+r.ModelSharedKiB
	}
	return sum
}

// perRank is the average, 0 for a job without ranks (a zero Report).
func perRank(total int64, ranks int) float64 {
	if ranks < 1 {
		return 0
	}
	return float64(total) / float64(ranks)
}

// String is the report as a table of several lines, numbers in right-aligned columns.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "page tables and memory: btl %s, %s in %s\n",
		r.BTL, plural(r.Ranks, "rank"), plural(r.Spaces, "address space"))
	fmt.Fprintf(&b, "%-16s %14s %12s %14s\n", "", "total", "per rank", "since Init")
	row := func(name string, total, growth int64) {
		fmt.Fprintf(&b, "%-16s %14d %12.1f %+14d\n", name, total, perRank(total, r.Ranks), growth)
	}
	row("page tables KiB", r.PageTableKiB, r.PageTableGrowthKiB)
	row("RSS KiB", r.RSSKiB, r.RSSGrowthKiB)
	row("PSS KiB", r.PSSKiB, r.PSSGrowthKiB)
	fmt.Fprintf(&b, "%-16s %14d %12.1f\n", "memory areas", r.Areas, perRank(int64(r.Areas), r.Ranks))
	late := ""
	if !r.SystemFolded {
		late = " (counters may be late; root reads them exactly)"
	}
	fmt.Fprintf(&b, "whole machine since before the job: page tables %s, memory used %s%s\n",
		taken(r.SystemPageTableKiB), taken(r.SystemMemoryKiB), late)
	fmt.Fprintf(&b, "model, every rank touching %d bytes of every rank: %s %+d KiB, one address space %+d KiB\n",
		r.SharedBytes, plural(r.Ranks, "separate process"), r.ModelSeparateKiB, r.ModelSharedKiB)
	return b.String()
}

// taken is what the whole machine has taken meanwhile. What it has given back says nothing of
// the job.
func taken(kib int64) string {
	if kib < 0 {
		return "-"
	}
	return fmt.Sprintf("%+d KiB", kib)
}

// plural is "1 rank", "2 ranks", "2 separate processes".
func plural(n int, noun string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(noun, "s"):
		noun += "es"
	default:
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
