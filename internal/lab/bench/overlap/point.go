package overlap

import (
	"fmt"
	"strings"

	"github.com/gopvas/gopvas/internal/lab/bench/results"
)

// Point is the result of a contestant, for reports.
func (r Result) Point(who string) results.Point {
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

// Point is the result of a contestant, for reports.
func (r ChainResult) Point(who string) results.Point {
	return results.Point{Benchmark: "chain", Contestant: who, Ranks: r.Ranks, Bytes: r.Bytes,
		Values: map[string]float64{"periods": r.Periods}}
}

// Point is the result, for reports.
func (r GraphResult) Point() results.Point {
	return results.Point{
		Benchmark: "graph", Contestant: strings.TrimSpace(r.Contestant + " " + r.Policy), Setting: r.Shape, Ranks: 1,
		Values: map[string]float64{"build_ns": r.Build, "issue_ns": r.Issue, "reissue_ns": r.Reissue},
	}
}

// testsOf names a number of tests.
func testsOf(n int) string {
	if n == EachProduct {
		return "a test after each product"
	}
	return fmt.Sprintf("%d tests", n)
}
