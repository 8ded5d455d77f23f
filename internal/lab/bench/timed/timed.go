package timed

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gopvas/gopvas/internal/lab/bench/runner"
	"github.com/gopvas/gopvas/internal/lab/median"
)

// Run runs the contestants in turn and returns the results by contestant and size. Those of one that has failed are
// nil, and the error tells of it.
func Run(ctx context.Context, cfg Config) ([][]Result, error) {
	if strings.HasSuffix(cfg.Benchmark, "barrier") {
		cfg.Sizes = []int{0}
	}
	rounds, err := runner.InTurn(ctx, runner.NamesOf(cfg.Contenders, ""), cfg.Rounds, cfg.Step,
		func(i int) ([]timing, error) {
			return cfg.job(ctx, cfg.Contenders[i])
		})
	if err != nil {
		err = fmt.Errorf("bench: %s: %w", cfg.Benchmark, err)
	}
	results := make([][]Result, len(cfg.Contenders))
	for i, c := range cfg.Contenders {
		if rounds[i] == nil {
			continue
		}
		for k := range cfg.Sizes {
			r := cfg.result(c, medianRound(rounds[i], k))
			r.Rounds = averages(rounds[i], k)
			results[i] = append(results[i], r)
		}
	}
	return results, err
}

// job runs one job and returns what it has found, by size.
func (cfg *Config) job(ctx context.Context, c runner.Contestant) ([]timing, error) {
	if c.IsPeer() {
		var end context.CancelFunc
		ctx, end = context.WithTimeoutCause(ctx, cfg.peerTime(), errStays)
		defer end()
	}
	out, err := c.Run(ctx, cfg.Ranks, cfg.program(c))
	if err != nil && (!errors.Is(err, errStays) || bytes.Count(out, []byte("\n")) < len(cfg.Sizes)) {
		return nil, err
	}
	lines, err := parseLines(bytes.NewReader(out))
	if err == nil && len(lines) != len(cfg.Sizes) {
		err = fmt.Errorf("%d lines for %d sizes", len(lines), len(cfg.Sizes))
	}
	if err != nil {
		return nil, fmt.Errorf("unexpected output %.200q: %w", out, err)
	}
	return lines, nil
}

// errStays ends a job of a peer that does not end by itself: MPICH 4.0 with more ranks than CPUs may wait for ever in
// MPI_Finalize. What it has found until then counts.
var errStays = errors.New("the peer's job did not end in time, and was ended")

// peerTime is how long a job of a peer may take: its start, its end, and steps that are slow, and for each size the
// limit and the warm-up.
func (c *Config) peerTime() time.Duration {
	return 10*time.Minute + time.Duration(len(c.Sizes))*(2*c.Limit+time.Second)
}

// program is the rank program that a contestant runs, and its arguments: the benchmark,
// sizes with their repetitions, and the limit in seconds.
func (c *Config) program(who runner.Contestant) []string {
	program, repetitions := "coll", c.collRepetitions
	if _, ok := patterns[c.Benchmark]; ok {
		program, repetitions = "p2p", c.p2pRepetitions
	} else if isLayout(c.Benchmark) {
		program, repetitions = runner.Choose(who.IsLoop(), "loop", "layout"), layoutRepetitions
	}
	items := make([]string, len(c.Sizes))
	for i, n := range c.Sizes {
		reps := c.Repeat
		if reps == 0 {
			reps = repetitions(n)
		}
		items[i] = fmt.Sprintf("%d:%d", n, reps)
	}
	args := []string{program, c.Benchmark, strings.Join(items, ","), runner.Seconds(c.Limit)}
	if c.Goroutines > 1 || c.Late > 0 {
		args = append(args, strconv.Itoa(max(c.Goroutines, 1)))
	}
	if c.Late > 0 {
		args = append(args, strconv.FormatFloat(c.Late.Seconds(), 'g', -1, 64))
	}
	return args
}

func (c *Config) result(who runner.Contestant, t timing) Result {
	r := Result{
		Benchmark: c.Benchmark, BTL: who.Name, SingleCopy: who.Path(), Profile: who.Profile,
		Algorithm: t.algorithm, Ranks: c.Ranks, Late: float64(c.Late.Nanoseconds()) / 1e3,
		Bytes: t.bytes, Repetitions: t.reps, Min: t.min, Avg: t.avg, Max: t.max,
	}
	if who.Site != nil {
		r.Nodes = len(who.Site.Nodes.Hosts)
	}
	if c.Goroutines > 1 {
		r.Goroutines = c.Goroutines
	}
	if p, ok := patterns[c.Benchmark]; ok {
		r.addRates(p)
		r.addSettings(who)
	} else if isLayout(c.Benchmark) {
		r.addSettings(who)
	}
	return r
}

// A timing is a line that a rank program prints.
type timing struct {
	bytes, reps   int
	avg, min, max float64
	algorithm     string // "": not said
}

func parseLines(r io.Reader) (lines []timing, err error) {
	s := bufio.NewScanner(r)
	for s.Scan() {
		var t timing
		if _, err := fmt.Sscan(s.Text(), &t.bytes, &t.reps, &t.avg, &t.min, &t.max); err != nil {
			return nil, fmt.Errorf("line %q: %w", s.Text(), err)
		}
		if words := strings.Fields(s.Text()); len(words) > 5 {
			t.algorithm = words[5]
		}
		lines = append(lines, t)
	}
	return lines, s.Err()
}

// medianRound returns the round whose average at size k is the median.
func medianRound(rounds [][]timing, k int) timing {
	return median.By(rounds, func(r []timing) float64 { return r[k].avg })[k]
}

// averages are those of all rounds at size k, nil where there is only one.
func averages(rounds [][]timing, k int) (list []float64) {
	for _, lines := range rounds {
		list = append(list, lines[k].avg)
	}
	if len(list) < 2 {
		return nil
	}
	return list
}

// Memory is about how many bytes the buffers of a job take at its longest message. It is no whole number:
// lengths that nobody could have are no overflow.
func (c *Config) Memory() float64 {
	n, ranks := float64(slices.Max(c.Sizes)), float64(c.Ranks)
	_, message := patterns[c.Benchmark]
	switch {
	case strings.HasSuffix(c.Benchmark, "barrier"):
		return 0
	case message:
		return 2 * n * ranks
	case isLayout(c.Benchmark): // no longer than MostLayout
		return n * ranks
	}
	return 4 * n * max(2, ranks) * ranks * float64(max(c.Goroutines, 1))
}
