package memory

import "github.com/gopvas/gopvas/internal/lab/bench/results"

// Point is the result of a contestant, for reports.
func (r FootprintResult) Point(who string) results.Point {
	values := map[string]float64{"t_us": r.Avg, "tables_growth_kib": float64(r.PageTableGrowthKiB),
		"pss_growth_kib": float64(r.PSSGrowthKiB)}
	results.AddKnown(values, "tables_kib", r.PageTableKiB)
	results.AddKnown(values, "memory_growth_kib", r.MemoryGrowthKiB)
	results.AddKnown(values, "idle_pss_kib", r.IdlePSSKiB)
	if r.ModelKiB != nil {
		values["model_kib"] = float64(*r.ModelKiB)
	}
	return results.Point{Benchmark: "alltoall", Contestant: who, Ranks: r.Ranks, Bytes: r.Bytes, Values: values}
}

// Point is the result, for reports.
func (r TouchResult) Point() results.Point {
	values := map[string]float64{"t_s": r.Seconds, "own_tables_kib": float64(r.PageTableKiB),
		"tables_growth_kib": float64(r.PageTableGrowthKiB)}
	results.AddKnown(values, "tables_kib", r.MachineTableKiB)
	results.AddKnown(values, "memory_kib", r.MemoryGrowthKiB)
	return results.Point{Benchmark: "touch", Contestant: r.BTL, Ranks: r.Ranks, Values: values}
}
