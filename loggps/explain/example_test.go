package explain_test

import (
	"fmt"
	"strings"

	"github.com/gopvas/gopvas/internal/lab/loggps/pattern"
	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/explain"
	"github.com/gopvas/gopvas/loggps/goal"
	"github.com/gopvas/gopvas/loggps/sim"
)

const text = `num_ranks 2
rank 0 {
a: calc 100000
b: send 20000b to 1
b requires a
}
rank 1 {
a: calc 400000
b: recv 20000b from 0
b requires a
}
`

// From a program to what it takes, why, and what would help: rank 0 waits for rank 1,
// because its message is longer than S.
func Example() {
	myrinet, err := loggps.Preset("myrinet")
	if err != nil {
		panic(err)
	}
	g, err := goal.Read(strings.NewReader(text), "two.goal")
	if err != nil {
		panic(err)
	}
	opt := sim.Options{Machine: loggps.Machine{Links: []loggps.Link{myrinet}}, Record: true}
	r, err := sim.Run(g, opt)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.0f ns; rank 0 waits %.0f ns for the acknowledgement\n", r.Time(), r.Ranks[0][sim.SendWait])

	path, err := explain.CriticalPath(r)
	if err != nil {
		panic(err)
	}
	for _, s := range path.Shares(r.Links())[:3] {
		fmt.Printf("%s: %.0f ns\n", s.Name, s.Time)
	}
	limits, err := explain.Limits(g, opt, loggps.Unlimited)
	if err != nil {
		panic(err)
	}
	best := limits[len(limits)-1] // no message waits for its receiver
	fmt.Printf("S = %d: %.0f ns\n", best.S, best.Time)
	// Output:
	// 733280 ns; rank 0 waits 307580 ns for the acknowledgement
	// computation: 400000 ns
	// Gs: 124257 ns
	// Osl: 96000 ns
	// S = 20000: 501130 ns
}

// Which broadcast algorithm is faster, and how much worse may the latency get?
func ExampleTolerance() {
	opt := sim.Options{Machine: loggps.Single(loggps.Params{L: 1000, O: 500, Packet: loggps.Unlimited,
		Sync: loggps.Unlimited})}
	for _, name := range []string{"bcast-binomial", "allgather-ring"} {
		run, err := pattern.Collective(name)
		if err != nil {
			panic(err)
		}
		g, err := pattern.Program(16, func(m pattern.Member) { run(m, 8) })
		if err != nil {
			panic(err)
		}
		r, err := sim.Run(g, opt)
		if err != nil {
			panic(err)
		}
		factor, err := explain.Tolerance(g, opt, 0, 0, 0.10)
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s: %.0f ns; L may be %.2f times as large\n", name, r.Time(), factor)
	}
	// Output:
	// bcast-binomial: 8000 ns; L may be 1.20 times as large
	// allgather-ring: 37500 ns; L may be 1.25 times as large
}
