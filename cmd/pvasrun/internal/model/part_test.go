package model

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/internal/lab/loggps/pattern"
	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/sim"
)

// TestParts: a part of a job is told, and has rows of its ranks alone; what is left out computes nothing. Mistakes are
// named by their flags.
func TestParts(t *testing.T) {
	g, err := pattern.Program(4, func(m pattern.Member) {
		for range 20 {
			work := int64(1 * ms)
			if m.Rank == 2 {
				work = 3 * ms
			}
			compute(m, work, 10)
			m.RecursiveDoubling(8)
		}
	})
	require.NoError(t, err)
	opt := sim.Options{Machine: loggps.Single(plain), Compute: 1}
	r, err := sim.Run(g, opt)
	require.NoError(t, err)
	until := func(d time.Duration) *cli.Lapse { return new(cli.Lapse(d)) }
	shown := func(f PartFlags) (facts []string, rows []int, err error) {
		part, err := f.part()
		if err != nil {
			return nil, nil, err
		}
		p := &Program{file: "x", trace: recordOf(r)}
		if err := p.take(part); err != nil {
			return nil, nil, err
		}
		drawn := p.measure(&opt, mostDrawn)
		require.NoError(t, p.build(&opt.Machine))
		page, err := p.shown(opt, false, drawn)
		require.NoError(t, err)
		for _, table := range page.Tables[:2] {
			rows = append(rows, len(table.Rows))
		}
		return page.Facts, rows, nil
	}
	_, rows, err := shown(PartFlags{})
	require.NoError(t, err)
	require.Equal(t, []int{5, 4}, rows)
	facts, rows, err := shown(PartFlags{Ranks: "0-1,3"})
	require.NoError(t, err)
	require.Equal(t, []int{4, 3}, rows)
	var told bool
	for _, f := range facts {
		told = told || f == "only ranks 0, 1 and 3 of 4, from 0 ns to 60.14 ms of 60.14 ms; "+
			"80 messages with ends elsewhere are left out"
		require.NotContains(t, f, "imbalance", "the three compute the same")
	}
	require.True(t, told, "%q", facts)
	require.Contains(t, facts[0], "left out: what rank 2 does is left out or was not recorded, and others wait: rank")
	facts, _, err = shown(PartFlags{Ranks: "0-3"})
	require.NoError(t, err)
	require.Contains(t, facts, "only ranks 0 to 3 of 4, from 0 ns to 60.14 ms of 60.14 ms")
	facts, _, err = shown(PartFlags{From: cli.Lapse(10 * time.Millisecond), To: until(20 * time.Millisecond)})
	require.NoError(t, err)
	require.Contains(t, facts[0], "imbalance: rank 2 computes most")

	const later = "give a later time, or leave --to out for the end"
	for _, c := range []struct {
		flags PartFlags
		says  string
	}{
		{PartFlags{Ranks: "x"}, `--ranks: "x" is no list of ranks such as 0-3,8`},
		{PartFlags{Ranks: "3-1"}, `--ranks: "3-1" is no list of ranks such as 0-3,8`},
		{PartFlags{Ranks: "2-4"}, "--ranks: there is no rank 4: the job has ranks 0 to 3"},
		{PartFlags{From: cli.Lapse(time.Second)}, "--from: the job ends after 60.14 ms: give a time before that"},
		{PartFlags{From: 20, To: until(10)}, "--to: 10ns is not behind --from 20ns: " + later},
		{PartFlags{To: until(0)}, "--to: 0s is not behind --from 0s: " + later},
	} {
		_, _, err := shown(c.flags)
		require.EqualError(t, err, c.says)
	}
	part, err := (&PartFlags{To: until(5)}).part()
	require.NoError(t, err)
	err = (&Program{Graph: g}).take(part)
	require.EqualError(t, err, "--ranks, --from and --to: only a recorded job has parts: leave them out")
}
