package model

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/exchange"
	"github.com/gopvas/gopvas/internal/lab/loggps/pattern"
)

// TestTorusLinks: 8 devices send no faster than the 6 links of a rank carry.
func TestTorusLinks(t *testing.T) {
	f := modelExchangeFlags{Neighbors: 6, Devices: 8, Sizes: []int{8 << 20}, Latency: 1000, Bandwidth: 5, Link: 5}
	rows, err := f.predict(&pattern.Torus{Sides: []int{4, 3, 8}})
	require.NoError(t, err)
	for form, speed := range rows[0].speed {
		require.LessOrEqual(t, speed, 30.0, form)
	}
	require.Greater(t, rows[0].speed[exchange.Wrap], 29.0)
	require.Less(t, rows[0].speed[exchange.Stripe], 5.1, "all devices share a link")
}

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
