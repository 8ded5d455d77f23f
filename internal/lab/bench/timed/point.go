package timed

import (
	"fmt"

	"github.com/gopvas/gopvas/internal/lab/bench/results"
)

// Point is the result of a contestant, with its time, for reports.
func (r Result) Point(who string, us float64) results.Point {
	p := results.Point{Benchmark: r.Benchmark, Contestant: who, Ranks: r.Ranks, Bytes: r.Bytes,
		Values: map[string]float64{"t_us": us}}
	if r.Goroutines > 1 {
		p.Setting = fmt.Sprintf("%d goroutines", r.Goroutines)
	}
	if r.Late > 0 {
		p.Setting = fmt.Sprintf("%.0f us late", r.Late)
	}
	if r.MessagesPerS > 0 && us > 0 {
		p.Values["messages_per_s"] = r.MessagesPerS * r.Avg / us
	}
	return p
}
