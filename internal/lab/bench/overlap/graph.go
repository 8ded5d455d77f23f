package overlap

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gopvas/gopvas/internal/lab/bench/runner"
)

// GraphConfig describes a run of Graphs.
type GraphConfig struct {
	Nodes       int // of a graph, without START and END
	Repetitions int // in a job
	Rounds      int // jobs of each contender, in turn
	Contenders  []Contender
	Step        func(contender string, round int) // told before each job; nil: nobody
}

// A GraphResult is what graphs that do nothing cost a contender of ours, in nanoseconds
// per node: medians over the repetitions, then over the rounds.
type GraphResult struct {
	Benchmark  string  `json:"benchmark"`  // "graph"
	Shape      string  `json:"shape"`      // "fan": all nodes at once; "chain": one after another
	Contestant string  `json:"contestant"` // pvas, sm
	Policy     string  `json:"policy"`
	Nodes      int     `json:"nodes"`
	Build      float64 `json:"build_ns"`     // to make nodes and edges
	Issue      float64 `json:"issue_ns"`     // to check and lay out, then to issue and complete
	Reissue    float64 `json:"reissue_ns"`   // to issue what is laid out, and complete
	Rate       float64 `json:"nodes_per_s"`  // by Reissue
	Bytes      float64 `json:"bytes_a_node"` // of shared memory
}

// graphShapes are the graphs that are measured.
var graphShapes = []string{"fan", "chain"}

// Graphs measures what graphs of nodes that do nothing cost, on one rank. Peers, which
// have no graphs, and contenders with helpers are passed over. One that fails has no result, and the error tells of it.
func Graphs(ctx context.Context, cfg GraphConfig) (results []GraphResult, err error) {
	contenders := withGraphs(cfg.Contenders)
	for _, shape := range graphShapes {
		rounds, failed := runner.InTurn(ctx, runner.NamesOf(contenders, ", graphs"), cfg.Rounds, cfg.Step,
			func(i int) (graphSample, error) {
				return cfg.job(ctx, contenders[i], shape)
			})
		if failed != nil {
			err = errors.Join(err, fmt.Errorf("bench: graph: %w", failed))
		}
		standing, rounds := runner.Standing(contenders, rounds)
		for i, c := range standing {
			results = append(results, cfg.result(c, shape, rounds[i]))
		}
		if ctx.Err() != nil {
			break
		}
	}
	return results, err
}

// withGraphs are the contenders that differ in what graphs cost them: ours, without
// helpers.
func withGraphs(contenders []Contender) []Contender {
	return slices.DeleteFunc(slices.Clone(contenders),
		func(c Contender) bool { return c.IsPeer() || c.Helpers != 0 })
}

// GraphJobs is how many jobs Graphs runs.
func GraphJobs(contenders []Contender, rounds int) int {
	return len(graphShapes) * len(withGraphs(contenders)) * rounds
}

func (cfg *GraphConfig) job(ctx context.Context, c Contender, shape string) (s graphSample, err error) {
	out, err := c.run(ctx, 1, []string{"overlap_graph", shape, strconv.Itoa(cfg.Nodes), strconv.Itoa(cfg.Repetitions)})
	if err != nil {
		return s, err
	}
	if s, err = parseGraphSample(strings.TrimSpace(string(out))); err != nil {
		return s, fmt.Errorf("unexpected output %.200q: %w", out, err)
	}
	return s, nil
}

func (cfg *GraphConfig) result(c Contender, shape string, rounds []graphSample) GraphResult {
	a := func(value func(graphSample) float64) float64 { return medianOf(rounds, value) / float64(cfg.Nodes) }
	r := GraphResult{
		Benchmark: "graph", Shape: shape, Contestant: c.Name, Policy: c.Policy, Nodes: cfg.Nodes,
		Build:   a(func(s graphSample) float64 { return s.build }),
		Issue:   a(func(s graphSample) float64 { return s.issue }),
		Reissue: a(func(s graphSample) float64 { return s.reissue }),
		Bytes:   a(func(s graphSample) float64 { return s.bytes }),
	}
	r.Rate = 1e9 / r.Reissue
	return r
}

// A graphSample is what a rank program has found: nanoseconds and bytes of a graph.
type graphSample struct{ build, issue, reissue, bytes float64 }

func (s graphSample) String() string {
	return fmt.Sprintf("%.1f %.1f %.1f %.0f", s.build, s.issue, s.reissue, s.bytes)
}

// parseGraphSample is the inverse of String.
func parseGraphSample(line string) (s graphSample, err error) {
	_, err = fmt.Sscan(line, &s.build, &s.issue, &s.reissue, &s.bytes)
	return s, err
}
