package replay

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/sim"
	"github.com/gopvas/gopvas/trace"
)

// algorithmsOfTest are those that the traces of these tests number.
var algorithmsOfTest = []string{"allreduce=flat", "bcast=binomial", "reduce=binomial", "scan=chain", "bcast=direct"}

// called is a trace of ranks with a CPU each that make one collective call. Rank r calls r*100 ns
// after all are ready.
func called(ranks int, k trace.Kind, algorithm, root int32) *trace.Trace {
	t := &trace.Trace{Meta: trace.Meta{Ranks: ranks, CPUs: ranks, Algorithms: algorithmsOfTest}, End: &trace.End{}}
	for r := range ranks {
		at := 10 + int64(r)*100
		t.Ranks = append(t.Ranks, trace.Rank{Events: []trace.Event{
			{Kind: trace.Init, End: 10, Peer: trace.Any},
			{Kind: k, Start: at, End: 1000, Bytes: 64, Tag: algorithm, Peer: root, Request: 1, Context: 1},
		}})
	}
	return t
}

// finish simulates a trace on a machine on which calls take 1000 ns, and returns when ranks are done.
func finish(t *testing.T, tr *trace.Trace) []float64 {
	t.Helper()
	var o Options
	for _, name := range algorithmsOfTest {
		o.Operations = append(o.Operations,
			loggps.Operation{Name: name, Ranks: len(tr.Ranks),
				Points: []loggps.OperationPoint{{Bytes: 64, Time: 1000}}})
	}
	r, err := New(tr, o)
	require.NoError(t, err)
	for _, synchronous := range []bool{false, true} {
		result, err := sim.Run(r.Graph,
			sim.Options{Machine: loggps.Single(loggps.Params{L: 1e6, O: 1e6}), Synchronous: synchronous, Record: true})
		require.NoError(t, err)
		path, err := result.Path(result.Slowest())
		require.NoError(t, err)
		assert.InDelta(t, result.Time(), path[len(path)-1].To, 1e-6, "the critical path is as long as the job")
		if synchronous {
			return result.Finish
		}
	}
	return nil
}

// TestOperations: members wait for those that the operation needs, and no parameter of the link counts.
func TestOperations(t *testing.T) {
	for _, c := range []struct {
		kind            trace.Kind
		algorithm, root int32
		want            []float64
	}{
		{trace.Allreduce, 0, trace.Any, []float64{1200, 1200, 1200}},
		{trace.Bcast, 1, 1, []float64{1100, 1100, 1200}},
		{trace.Reduce, 2, 0, []float64{1200, 1100, 1200}},
		{trace.Scan, 3, trace.Any, []float64{1000, 1100, 1200}},
		{trace.Bcast, 4, 1, []float64{1200, 1200, 1200}},
	} {
		t.Run(fmt.Sprint(c.kind, " ", algorithmsOfTest[c.algorithm]), func(t *testing.T) {
			assert.Equal(t, c.want, finish(t, called(3, c.kind, c.algorithm, c.root)))
		})
	}
	assert.Len(t, finish(t, called(7, trace.Allreduce, 0, trace.Any)), 7)
	assert.Equal(t, []float64{1600}, unique(finish(t, called(7, trace.Allreduce, 0, trace.Any))))
}

func unique(list []float64) (u []float64) {
	seen := map[float64]bool{}
	for _, v := range list {
		if !seen[v] {
			u, seen[v] = append(u, v), true
		}
	}
	return u
}

// TestOperationsThatDoNotCount: of another number of members, where ranks share CPUs, on two
// nodes, and where members do not agree, calls become messages as without.
func TestOperationsThatDoNotCount(t *testing.T) {
	for name, change := range map[string]func(*trace.Trace, *Options){
		"other ranks":     func(_ *trace.Trace, o *Options) { o.Operations[0].Ranks = 3 },
		"other algorithm": func(_ *trace.Trace, o *Options) { o.Operations[0].Name = "allreduce=ring" },
		"shared CPUs":     func(t *trace.Trace, _ *Options) { t.Meta.CPUs = 1 },
		"two nodes": func(t *trace.Trace, _ *Options) {
			t.Meta.Nodes, t.Meta.Hosts = []int{0, 1}, []string{"a", "b"}
		},
		"no algorithms":    func(t *trace.Trace, _ *Options) { t.Meta.Algorithms = nil },
		"members disagree": func(t *trace.Trace, _ *Options) { t.Ranks[1].Events[1].Tag = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			tr := called(2, trace.Allreduce, 0, trace.Any)
			o := Options{Operations: []loggps.Operation{{Name: "allreduce=flat", Ranks: 2,
				Points: []loggps.OperationPoint{{Bytes: 0, Time: 5}}}}}
			change(tr, &o)
			r, err := New(tr, o)
			require.NoError(t, err)
			assert.Equal(t, []string{"irecv 64 B from rank 1, tag 1073741825",
				"isend 64 B to rank 1, tag 1073741825", "wait"}, ops(r, 0))
		})
	}
}
