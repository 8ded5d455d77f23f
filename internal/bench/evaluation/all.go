package evaluation

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/gopvas/gopvas/internal/bench/results"
	"github.com/gopvas/gopvas/internal/bench/runner"
	"github.com/gopvas/gopvas/internal/job"
)

// Config describes a run of the paper's evaluation.
type Config struct {
	Quick bool
	BTLs  []string            // "pvas", "sm": what works here
	CMA   bool                // processes may read one another's memory
	Peers []runner.Contestant // installed MPIs

	tiny bool // for tests: the least of everything
}

// An Experiment is a table or figure of the paper, or a part of one.
type Experiment struct {
	Name    string
	Command string // repeats it
	Rounds  int    // for a median and its spread, or because it is long and has parts
	Weight  int    // about how many seconds a round takes
	Skip    string // why it cannot be run here; "": it can
	Run     func(ctx context.Context, round int) ([]results.Point, error)
}

// experiments makes them, by name and in the order in which they are run.
var experiments = []struct {
	name string
	make func(*Config) Experiment
}{
	{"pingpong", (*Config).pingpong},
	{"rate", (*Config).rate},
	{"bcast", (*Config).bcast},
	{"allreduce", (*Config).allreduce},
	{"npb", (*Config).npb},
	{"footprint", (*Config).footprint},
	{"is-memory", (*Config).isMemory},
	{"pie", (*Config).pie},
	{"huge-pages", (*Config).hugePages},
	{"startup", (*Config).startup},
	{"overlap", (*Config).overlap},
}

// ExperimentNames are the names of all experiments.
func ExperimentNames() (names []string) {
	for _, e := range experiments {
		names = append(names, e.name)
	}
	return names
}

// Experiments returns the experiments of these names, or all.
func (c *Config) Experiments(names []string) (list []Experiment, err error) {
	for _, name := range names {
		if !slices.Contains(ExperimentNames(), name) {
			return nil, fmt.Errorf("bench: all: no experiment %q: there are %s", name,
				strings.Join(ExperimentNames(), ", "))
		}
	}
	for _, e := range experiments {
		if len(names) > 0 && !slices.Contains(names, e.name) {
			continue
		}
		x := e.make(c)
		x.Name, x.Command = e.name, c.command(e.name)
		x.Rounds, x.Weight = max(x.Rounds, 1), max(x.Weight, 1)
		list = append(list, x)
	}
	return list, nil
}

// command is the command line that runs one experiment alone.
func (c *Config) command(name string) string {
	line := []string{"pvasrun", "bench", "all"}
	if c.Quick {
		line = append(line, "--quick")
	}
	line = append(line, "--only", name)
	if len(c.BTLs) == 1 {
		line = append(line, "--btl", c.BTLs[0])
	}
	peers := map[string]bool{}
	for _, p := range c.Peers {
		peers[p.Name] = true
	}
	if len(peers) > 0 {
		line = append(line, "--compare", strings.Join(slices.Sorted(maps.Keys(peers)), ","))
	}
	return strings.Join(line, " ")
}

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

// own are the contestants that are ours: sm with each way to copy that it has here.
func (c *Config) own() (list []runner.Contestant) {
	for _, btl := range c.BTLs {
		if btl != job.BTLSM.String() {
			list = append(list, runner.Contestant{Name: btl})
			continue
		}
		list = append(list, runner.Contestant{Name: btl, SingleCopy: job.SingleCopyNone.String()})
		if c.CMA {
			list = append(list, runner.Contestant{Name: btl, SingleCopy: job.SingleCopyCMA.String()})
		}
	}
	return list
}

// all are ours and the peers.
func (c *Config) all() []runner.Contestant { return slices.Concat(c.own(), c.Peers) }

// models are our task models, without regard to how they copy.
func (c *Config) models() (list []runner.Contestant) {
	for _, btl := range c.BTLs {
		list = append(list, runner.Contestant{Name: btl})
	}
	return list
}

// pinned has rank i of each contestant on CPU i.
func pinned(list []runner.Contestant) []runner.Contestant {
	list = slices.Clone(list)
	for i := range list {
		list[i].Pinned = true
	}
	return list
}

// scaled is what to take in a test, a quick run and a full one.
func scaled[T any](c *Config, tiny, quick, full T) T {
	switch {
	case c.tiny:
		return tiny
	case c.Quick:
		return quick
	}
	return full
}
