package evaluation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/internal/lab/bench/memory"
	"github.com/gopvas/gopvas/internal/lab/bench/nas"
	"github.com/gopvas/gopvas/internal/lab/bench/neighbors"
	"github.com/gopvas/gopvas/internal/lab/bench/npb"
	"github.com/gopvas/gopvas/internal/lab/bench/overlap"
	"github.com/gopvas/gopvas/internal/lab/bench/results"
	"github.com/gopvas/gopvas/internal/lab/bench/runner"
	"github.com/gopvas/gopvas/internal/lab/bench/timed"
)

// Load reads a file that Config's experiments were written to, or one of what any
// benchmark has printed as JSON. The latter may have the lines of several benchmarks, and of
// one that was run several times: these are rounds. It says nothing of an environment.
func Load(name string) (results.File, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return results.File{}, fmt.Errorf("bench: %w", err)
	}
	first, _, _ := bytes.Cut(bytes.TrimSpace(text), []byte("\n"))
	var line printedLine
	if json.Unmarshal(first, &line) != nil || line.Benchmark == "" {
		return results.Load(name)
	}
	f, err := parsePrinted(text)
	if err != nil {
		return results.File{}, fmt.Errorf("bench: %s: %w", name, err)
	}
	return f, nil
}

// A printedLine is what tells the results of the benchmarks apart.
type printedLine struct {
	Benchmark string `json:"benchmark"`
}

// parsePrinted makes each result a line of the experiment that its benchmark is.
func parsePrinted(text []byte) (f results.File, err error) {
	rounds := map[string]int{}
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		name, points, err := parseResult(line)
		if err != nil {
			return f, fmt.Errorf("line %d: %w; is this what a benchmark has printed with --json?", n, err)
		}
		for _, p := range points {
			key := fmt.Sprint(name, p.Benchmark, p.Contestant, p.Setting, p.Ranks, p.Bytes)
			rounds[key]++
			f.Lines = append(f.Lines, results.Line{
				Experiment: name, Command: "pvasrun bench " + name + " --json", Round: rounds[key],
				Points: finite([]results.Point{p}),
			})
		}
	}
	return f, nil
}

// parseResult returns the benchmark that has printed a line, and a point for each round
// that it tells of.
func parseResult(line []byte) (name string, points []results.Point, err error) {
	var l printedLine
	if err := json.Unmarshal(line, &l); err != nil {
		return "", nil, err
	}
	name = l.Benchmark
	switch {
	case name == "touch":
		points, err = decoded(line, func(r memory.TouchResult) []results.Point { return []results.Point{r.Point()} })
	case name == "footprint":
		points, err = decoded(line, func(r memory.FootprintResult) []results.Point {
			return []results.Point{r.Point(printedName(r.BTL, r.SingleCopy))}
		})
	case name == "overlap":
		points, err = decoded(line, func(r overlap.Result) []results.Point {
			return []results.Point{r.Point(contenderName(r.Contestant, r.Policy, r.Helpers))}
		})
	case name == "chain":
		points, err = decoded(line, func(r overlap.ChainResult) []results.Point {
			return []results.Point{r.Point(contenderName(r.Contestant, r.Policy, r.Helpers))}
		})
	case name == "exchange":
		points, err = decoded(line, neighbors.Result.Points)
	case name == "graph":
		points, err = decoded(line, func(r overlap.GraphResult) []results.Point { return []results.Point{r.Point()} })
	case slices.Contains(npb.Kernels(), strings.ToLower(name)):
		name = "npb"
		points, err = decoded(line, npbPoints)
	case isTimed(name):
		points, err = decoded(line, timedPoints)
	case name == "":
		err = errors.New("it names no benchmark")
	default:
		err = fmt.Errorf("there is no benchmark %q", name)
	}
	return name, points, err
}

// contenderName is the String of a contender of overlap.
func contenderName(contestant, policy string, helpers int) string {
	return overlap.Contender{Contestant: runner.Contestant{Name: contestant}, Policy: policy,
		Helpers: helpers}.String()
}

func decoded[R any](line []byte, points func(R) []results.Point) ([]results.Point, error) {
	var r R
	if err := json.Unmarshal(line, &r); err != nil {
		return nil, err
	}
	return points(r), nil
}

func isTimed(name string) bool {
	return slices.Contains(slices.Concat(timed.Patterns(), timed.Collectives(), timed.Layouts()), name)
}

// timedPoints are the rounds.
func timedPoints(r timed.Result) (points []results.Point) {
	rounds := r.Rounds
	if len(rounds) == 0 {
		rounds = []float64{r.Avg}
	}
	for _, us := range rounds {
		points = append(points, r.Point(printedName(r.BTL, r.SingleCopy), us))
	}
	return points
}

// npbPoints are the median round and, where there were others, the slowest and the fastest.
func npbPoints(r nas.Result) (points []results.Point) {
	rates := []float64{r.Mops, r.MinMops, r.MaxMops}[:max(1, min(r.Rounds, 3))]
	if r.Rounds == 2 {
		rates = []float64{r.MinMops, r.MaxMops}
	}
	for _, mops := range rates {
		p := r.Point(printedName(r.BTL, r.SingleCopy), mops)
		if r.EagerLimit > 0 {
			p.Setting = fmt.Sprintf("eager limit %d", r.EagerLimit)
		}
		points = append(points, p)
	}
	return points
}

// printedName is the String of a contestant of which a result tells the name and the way to
// copy.
func printedName(name, path string) string {
	_, mode, _ := strings.Cut(path, ":")
	if mode == "" {
		mode = path
	}
	if mode == "none" || mode == "cma" {
		return name + "/" + mode
	}
	return name
}
