package main

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/exchange"
	"github.com/gopvas/gopvas/internal/loggps/pattern"
)

// TestTorus: on the paper's 96 nodes, simulated, each way takes what the formulas say: what
// each rank sends by a device its neighbors receive by theirs at the same pace. The figures of the
// paper have the same shape: short messages are faster by plain, long ones by steps and wrap, by a
// third in the end.
func TestTorus(t *testing.T) {
	torus := pattern.Torus{Sides: []int{4, 3, 8}}
	device := exchange.Device{Latency: 1000, Bandwidth: 5e9}
	devices := []exchange.Device{device, device, device, device}
	var p exchange.Planner
	for size := 1 << 10; size <= 8<<20; size *= 8 {
		sizes := []int{size, size, size, size, size, size}
		took := map[exchange.Form]float64{}
		for _, form := range exchange.Forms() {
			plan := p.Make(form, sizes, devices)
			ns, err := simulateExchange(plan, torus, device)
			require.NoError(t, err)
			require.LessOrEqual(t, math.Abs(ns-plan.Time), 0.05*plan.Time, "%v of %d bytes", form, size)
			took[form] = ns
		}
		plain, steps, wrap := took[exchange.Plain], took[exchange.Steps], took[exchange.Wrap]
		require.Equal(t, size > 8<<10, steps < plain, "steps take %v ns, plain %v, for %d bytes", steps, plain, size)
		require.LessOrEqual(t, wrap, min(plain, steps)+device.Latency, "%d bytes", size)
		if size >= 1<<20 {
			require.InDelta(t, 4.0/3, plain/steps, 0.02)
			require.InDelta(t, 4.0/3, plain/wrap, 0.02)
		}
	}
}

func TestModelExchange(t *testing.T) {
	got := command(t, nil, "model", "exchange", "--sizes", "16K,8M")
	require.Equal(t, 0, got.code, got.stderr)
	require.Regexp(t, `(?m)^ +8MiB +14.99 +19.98 +19.98 +19.95 +wrap *$`, got.stdout)
	require.Contains(t, got.stdout, "device 0   A")
	for _, bad := range []string{"--neighbors=0", "--torus=4x1", "--bandwidth=-1", "--bandwidth=nan", "--bandwidth=inf",
		"--sizes=0", "--devices=1000", "--torus=65536 --devices=255"} {
		require.Equal(t, 2, command(t, nil, append([]string{"model", "exchange"}, strings.Fields(bad)...)...).code, bad)
	}
	torus := command(t, nil, "model", "exchange", "--sizes", "1M", "--torus", "4x3x8")
	require.True(t, strings.Contains(torus.stdout, "14.93"), torus.stdout)
}
