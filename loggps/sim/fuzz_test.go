package sim

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/goal"
	"github.com/gopvas/gopvas/loggps/graph"
)

// Whatever can be read either completes, each operation once and after what it depends on,
// or is stuck, with operations to blame.
func FuzzRun(f *testing.F) {
	f.Add("num_ranks 2\nrank 0 {\na: send 9b to 1 tag 3 nic 1\nb: calc 5 cpu 1\nb irequires a\n}\nrank 1 {\nrecv "+
		"9b from -1 tag -1\n}", uint8(0))
	f.Add("num_ranks 2\nrank 0 {\nsend 900b to 1\nsend 2b to 0\nrecv 2b from 0\n}\nrank 1 {\na: recv 900b from 0\nb: "+
		"send 0b to 1\nb requires a\nrecv 0b from 1\n}", uint8(5))
	f.Add("num_ranks 3\nrank 0 {\nsend 1b to 1\n}\nrank 1 {\nsend 1b to 2\n}\nrank 2 {\nrecv 5b from 0\n}", uint8(14))
	f.Fuzz(func(t *testing.T, text string, how uint8) {
		g, err := goal.Read(strings.NewReader(text), "x")
		if err != nil || g.Ranks() > 64 || g.Len() > 500 {
			return
		}
		opt := Options{Machine: loggps.Single(loggps.LogGOPS{L: 50, Overhead: 7, Gap: 9, GapByte: 0.5,
			OverByte: 0.25, S: 100}.Params())}
		opt.Mode = Mode(how & 1)
		opt.Synchronous = how&2 != 0
		opt.Record = how&4 == 0
		if how&4 != 0 {
			opt.Share = &Share{CPUs: 2, Slice: 1 << 46, Switch: float64(how >> 4)}
		}
		r, err := Run(g, opt)
		if err != nil {
			stuck, ok := errors.AsType[*StuckError](err)
			require.True(t, ok, "%v", err)
			require.NotZero(t, len(stuck.Blocked)+len(stuck.Unreceived))
			return
		}
		for id := range graph.ID(g.Len()) {
			require.GreaterOrEqual(t, r.End(id), r.Start(id))
			for _, d := range g.Dependents(id) {
				if d.Dep() == graph.Requires {
					require.GreaterOrEqual(t, r.Start(d.ID()), r.End(id))
				}
			}
		}
		if opt.Record {
			checkPaths(t, r)
		}
	})
}
