package shared

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/coll/cad"
)

// BenchmarkEmptyNodes issues and completes graphs of nodes that do nothing, each after
// the one before (shape=line) or all after START (shape=fan). ns/node is what counts.
func BenchmarkEmptyNodes(b *testing.B) {
	const nodes = 1000
	for _, shape := range []string{"line", "fan"} {
		for _, built := range []string{"each", "once"} {
			b.Run(fmt.Sprintf("shape=%s/built=%s", shape, built), func(b *testing.B) {
				_, all := start(b, 1, true, Options{})
				r := all[0]
				graph := func() *cad.Graph {
					g := cad.NewGraph()
					before := cad.Start
					for range nodes {
						n := g.Join()
						g.Connect(before, n)
						if shape == "line" {
							before = n
						}
					}
					g.Tie()
					return g
				}
				request, err := r.Prepare(r.world, graph())
				require.NoError(b, err)
				b.ReportAllocs()
				for b.Loop() {
					if built == "each" {
						require.NoError(b, r.do(graph()))
						continue
					}
					require.NoError(b, request.Start())
					_, err := request.Wait()
					require.NoError(b, err)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/nodes, "ns/node")
			})
		}
	}
}

// BenchmarkPairs sends a message of no length from a rank to itself, and so measures how
// a SEND finds its RECV.
func BenchmarkPairs(b *testing.B) {
	const pairs = 500
	g := cad.NewGraph()
	for range pairs {
		g.Send(nil, 0)
		g.Recv(nil, 0)
	}
	g.Tie()
	again(b, g)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/pairs, "ns/pair")
}

// BenchmarkOneNode is a graph with one node that does nothing: what an issue costs.
func BenchmarkOneNode(b *testing.B) {
	g := cad.NewGraph()
	g.Join()
	g.Tie()
	again(b, g)
}

// again issues one graph again and again.
func again(b *testing.B, g *cad.Graph) {
	_, all := start(b, 1, true, Options{})
	r := all[0]
	request, err := r.Prepare(r.world, g)
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, request.Start())
		_, err := request.Wait()
		require.NoError(b, err)
	}
}
