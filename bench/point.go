package bench

import (
	"fmt"
	"strings"

	"github.com/gopvas/gopvas/internal/bench/results"
)

// The points of a file of results that each benchmark's result is. They name the contestant
// as it is named there, and where there are several rounds the value of one.

func (r TimedResult) point(who string, us float64) results.Point {
	p := results.Point{Benchmark: r.Benchmark, Contestant: who, Ranks: r.Ranks, Bytes: r.Bytes,
		Values: map[string]float64{"t_us": us}}
	if r.Goroutines > 1 {
		p.Setting = fmt.Sprintf("%d goroutines", r.Goroutines)
	}
	if r.MessagesPerS > 0 && us > 0 {
		p.Values["messages_per_s"] = r.MessagesPerS * r.Avg / us
	}
	return p
}

func (r FootprintResult) point(who string) results.Point {
	values := map[string]float64{"t_us": r.Avg, "tables_growth_kib": float64(r.PageTableGrowthKiB),
		"pss_growth_kib": float64(r.PSSGrowthKiB)}
	addKnown(values, "tables_kib", r.PageTableKiB)
	addKnown(values, "memory_growth_kib", r.MemoryGrowthKiB)
	if r.ModelKiB != nil {
		values["model_kib"] = float64(*r.ModelKiB)
	}
	return results.Point{Benchmark: "alltoall", Contestant: who, Ranks: r.Ranks, Bytes: r.Bytes, Values: values}
}

func (r TouchResult) point() results.Point {
	values := map[string]float64{"t_s": r.Seconds, "own_tables_kib": float64(r.PageTableKiB),
		"tables_growth_kib": float64(r.PageTableGrowthKiB)}
	addKnown(values, "tables_kib", r.MachineTableKiB)
	addKnown(values, "memory_kib", r.MemoryGrowthKiB)
	return results.Point{Benchmark: "touch", Contestant: r.BTL, Ranks: r.Ranks, Values: values}
}

// addKnown adds a figure, if there is one.
func addKnown(values map[string]float64, name string, kib *int64) {
	if kib != nil {
		values[name] = float64(*kib)
	}
}

func (r NPBResult) point(who string, mops float64) results.Point {
	return results.Point{
		Benchmark: nameOf(strings.ToLower(r.Benchmark), r.Class), Contestant: who, Ranks: r.Ranks,
		Values: map[string]float64{"mops": mops},
	}
}

func (r OverlapResult) point(who string) results.Point {
	p := results.Point{
		Benchmark: fmt.Sprintf("ibcast %dx%[1]d", r.Grain), Contestant: who, Setting: testsOf(r.Tests),
		Ranks: r.Ranks, Bytes: r.Bytes,
		Values: map[string]float64{"noncompute_percent": 100 * r.NonCompute},
	}
	if r.Tests == EachProduct {
		p.Values = map[string]float64{"t_us": r.Elapsed}
	}
	return p
}

func (r ChainResult) point(who string) results.Point {
	return results.Point{Benchmark: "chain", Contestant: who, Ranks: r.Ranks, Bytes: r.Bytes,
		Values: map[string]float64{"periods": r.Periods}}
}

func (r GraphResult) point() results.Point {
	return results.Point{
		Benchmark: "graph", Contestant: strings.TrimSpace(r.Contestant + " " + r.Policy), Setting: r.Shape, Ranks: 1,
		Values: map[string]float64{"build_ns": r.Build, "issue_ns": r.Issue, "reissue_ns": r.Reissue},
	}
}
