package sim

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopvas/gopvas/internal/lab/loggps/pattern"
	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/graph"
)

// fast is a network that both modes can simulate.
var fast = loggps.LogGOPS{L: 2500, Overhead: 1500, Gap: 1000, GapByte: 6, S: 65535}.Params()

func live() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// A halo exchange of 16,384 ranks: all of it, graph and what was recorded, takes at most
// 110 bytes an operation, though most messages wait for a wire.
func TestManyRanks(t *testing.T) {
	before := live()
	g := program(t, 1<<14, func(m pattern.Member) { m.Halo([]int{128, 128}, 1000, 10_000, 4) })
	r := run(t, g, Options{Machine: loggps.Single(fast), Record: true})
	bytes := float64(live()-before) / float64(g.Len())
	t.Logf("%d operations, %.1f bytes each", g.Len(), bytes)
	assert.LessOrEqual(t, bytes, 110.0)
	for _, f := range r.Finish { // all ranks are alike
		assert.InDelta(t, r.Finish[0], f, 1e-3)
	}
}

func BenchmarkRun(b *testing.B) {
	for _, c := range []struct {
		name  string
		ranks int
		run   func(pattern.Member)
	}{
		{"program=pingpong/ranks=2", 2, func(m pattern.Member) { m.PingPong(8, 50_000) }},
		{"program=halo/ranks=64", 64, func(m pattern.Member) { m.Halo([]int{8, 8}, 1000, 10_000, 300) }},
		{"program=halo/ranks=16384", 1 << 14, func(m pattern.Member) { m.Halo([]int{128, 128}, 1000, 10_000, 2) }},
		{"program=allreduce/ranks=1024", 1024, func(m pattern.Member) {
			for range 10 {
				m.RecursiveDoubling(8)
			}
		}},
		{"program=alltoall/ranks=256", 256, func(m pattern.Member) { m.LinearAlltoall(100) }},
	} {
		var g *graph.Graph
		for mode, name := range []string{LogGPS: "loggps", LogGOPS: "loggops"} {
			b.Run(c.name+"/mode="+name, func(b *testing.B) {
				if g == nil {
					g = program(b, c.ranks, c.run)
				}
				events := 0
				for b.Loop() {
					events += run(b, g, Options{Machine: loggps.Single(fast), Mode: Mode(mode)}).Events
				}
				b.ReportMetric(float64(events)/b.Elapsed().Seconds()/1e6, "Mevents/s")
			})
		}
	}
}
