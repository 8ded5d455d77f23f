package overlap

import (
	"fmt"
	"time"

	"github.com/gopvas/gopvas/internal/lab/bench/rankside"
	"github.com/gopvas/gopvas/mpi"
	"github.com/gopvas/gopvas/mpi/debug"
)

// A graphRank is the rank that measures graphs which do nothing.
type graphRank struct {
	world *mpi.Comm
	shape string
	nodes int
}

// graphRankMain is the rank program. Its arguments are the shape, the number of nodes,
// and the number of repetitions.
func graphRankMain(args []string) {
	var shape string
	var nodes, reps int
	rankside.ScanArgs(fmt.Sprintf("a shape of %v, nodes and repetitions", graphShapes), args, &shape, &nodes, &reps)
	mpi.Run(func(world *mpi.Comm) error {
		r := &graphRank{world, shape, nodes}
		s, err := r.measure(reps)
		if err == nil {
			fmt.Println(s)
		}
		return err
	})
}

// measure takes the medians of many graphs.
func (r *graphRank) measure(reps int) (graphSample, error) {
	var found []graphSample
	for range reps {
		s, err := r.once()
		if err != nil {
			return s, err
		}
		found = append(found, s)
	}
	return graphSample{
		build:   medianOf(found, func(s graphSample) float64 { return s.build }),
		issue:   medianOf(found, func(s graphSample) float64 { return s.issue }),
		reissue: medianOf(found, func(s graphSample) float64 { return s.reissue }),
		bytes:   medianOf(found, func(s graphSample) float64 { return s.bytes }),
	}, nil
}

// once builds a graph and issues it, then prepares and starts it twice, of which the
// second counts.
func (r *graphRank) once() (s graphSample, err error) {
	start := time.Now()
	g := r.build()
	s.build = nanoseconds(start)

	start = time.Now()
	request, err := g.Issue()
	if err != nil {
		return s, err
	}
	if _, err := request.Wait(); err != nil {
		return s, err
	}
	s.issue = nanoseconds(start)

	before := debug.Graphs().Memory
	if request, err = g.Prepare(); err != nil {
		return s, err
	}
	s.bytes = float64(debug.Graphs().Memory - before)
	for range 2 {
		start = time.Now()
		if err := request.Start(); err != nil {
			return s, err
		}
		if _, err := request.Wait(); err != nil {
			return s, err
		}
		s.reissue = nanoseconds(start)
	}
	return s, request.Free()
}

// build makes a graph.
func (r *graphRank) build() *mpi.Graph {
	g := mpi.NewGraph(r.world)
	before := mpi.GraphStart
	for range r.nodes {
		n := g.JoinNode()
		if r.shape == "chain" {
			g.Connect(before, n)
			before = n
		}
	}
	g.Tie()
	return g
}

func nanoseconds(since time.Time) float64 { return float64(time.Since(since).Nanoseconds()) }
