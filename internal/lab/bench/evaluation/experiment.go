package evaluation

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"time"

	"github.com/gopvas/gopvas/internal/lab/bench/results"
)

// Once runs a round of the experiment and returns it as a line of a file. What goes
// wrong is in the line; a round that takes more than limit is ended.
func (e *Experiment) Once(ctx context.Context, round int, limit time.Duration) results.Line {
	line := results.Line{Experiment: e.Name, Command: e.Command, Round: round, Skipped: e.Skip}
	if e.Skip != "" {
		return line
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	start := time.Now()
	points, err := e.Run(ctx, round)
	line.Seconds, line.Points = time.Since(start).Seconds(), finite(points)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		line.Failed = fmt.Sprintf("it took more than %v", limit)
	} else if err != nil {
		line.Failed = err.Error()
	}
	return line
}

// finite leaves out numbers that are none.
func finite(points []results.Point) []results.Point {
	for _, p := range points {
		maps.DeleteFunc(p.Values, func(_ string, v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
	}
	return points
}
