package exchange

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLinks: over 6 links as fast as a device, 8 devices send no faster than the links carry. A message that all
// devices send at once has one link. Where links do not bind, nothing changes.
func TestLinks(t *testing.T) {
	const size = 8 << 20
	bound := Planner{Link: paper.Bandwidth}
	var free Planner
	for _, test := range []struct {
		devices                    int
		plain, wrap, steps, stripe float64 // GB/s at most
	}{
		{4, 15, 20, 20, 5}, {8, 30, 30, 30, 5}, {6, 30, 30, 30, 5},
	} {
		devices, sizes := equal(test.devices, paper), messages(6, size)
		limits := map[Form]float64{Plain: test.plain, Wrap: test.wrap, Steps: test.steps, Stripe: test.stripe}
		for f, most := range limits {
			plan := bound.Make(f, sizes, devices)
			requireWhole(t, plan, sizes)
			speed := 6 * size / plan.Time
			require.LessOrEqual(t, speed, most, "%v by %d devices", f, test.devices)
			require.Greater(t, speed, 0.99*most, "%v by %d devices", f, test.devices)
		}
		require.NotEqual(t, Stripe, bound.Choose(sizes, devices).Form)
	}
	require.InEpsilon(t, 40.0, 6*size/free.Make(Stripe, messages(6, size), equal(8, paper)).Time, 0.01)
}

// No plan is faster over links that bind, and over links that do not it takes what it takes without.
func TestLinksAtRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		devices := equal(1+random.IntN(8), paper)
		for i := range devices {
			devices[i].Bandwidth *= 0.5 + random.Float64()
			devices[i].Latency *= random.Float64()
			devices[i].Busy = random.Float64() * 1e4
		}
		sizes := make([]int, 1+random.IntN(12))
		all := 0.0
		for i := range sizes {
			sizes[i] = 1 + random.IntN(1<<20)
		}
		for _, d := range devices {
			all += d.Bandwidth
		}
		var free Planner
		for _, f := range Forms() {
			plan := free.Make(f, sizes, devices)
			require.InEpsilon(t, plan.Time, plan.linked(devices, all), 1e-6, "%v of %v by %v", f, sizes, devices)
			link := paper.Bandwidth * (0.2 + random.Float64())
			require.GreaterOrEqual(t, plan.linked(devices, link), plan.Time*(1-1e-6))
			bound := Planner{Link: link}
			over := bound.Make(f, sizes, devices)
			requireWhole(t, over, sizes)
			if f == Wrap {
				require.LessOrEqual(t, over.Time, bound.Make(Plain, sizes, devices).Time)
			}
		}
	}
}
