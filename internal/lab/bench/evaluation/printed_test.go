package evaluation

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/lab/bench/results"
)

func loadText(t *testing.T, text string) (results.File, error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "r")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	return Load(name)
}

// A file of what benchmarks have printed has a point for each round, named as bench all
// names it.
func TestLoadPrinted(t *testing.T) {
	f, err := loadText(t, `
{"benchmark":"pingpong","btl":"sm","single_copy":"cma","ranks":2,"bytes":8,"t_avg_us":2,"rounds_us":[2,1,3],"messages_per_s":5e5}

{"benchmark":"mbw_mr","btl":"openmpi","single_copy":"vader:none","ranks":2,"bytes":8,"t_avg_us":2}
{"benchmark":"mbw_mr","btl":"openmpi","single_copy":"vader:none","ranks":2,"bytes":8,"t_avg_us":3}
{"benchmark":"allreduce","btl":"sm","single_copy":"auto","ranks":2,"goroutines":8,"bytes":8,"t_avg_us":2}
{"benchmark":"allreduce","btl":"sm","single_copy":"auto","ranks":2,"bytes":8,"t_avg_us":2}
{"benchmark":"column","btl":"loop","single_copy":"no message","ranks":2,"bytes":8,"t_avg_us":4}
{"benchmark":"IS","class":"S","btl":"pvas","single_copy":"direct","mops":2,"min_mops":1,"max_mops":3,"rounds":5,"ranks":4}
{"benchmark":"footprint","btl":"sm","single_copy":"none","pagetable_kib":null,"memory_growth_kib":7,"pss_growth_kib":-2}
{"benchmark":"touch","btl":"pvas","pagetable_kib":4,"machine_pagetable_kib":5}
{"benchmark":"overlap","contestant":"pvas","policy":"share","helpers":1,"grain":4,"noncompute_share":0.5}
{"benchmark":"chain","contestant":"mpich","periods":2}
{"benchmark":"exchange","contestant":"wrap","neighbors":"6","devices":4,"t_us":7,"rounds_us":[7,8],"formula_us":6}
{"benchmark":"graph","contestant":"pvas","policy":"share","shape":"fan","build_ns":9}`) // without a newline at its end
	require.NoError(t, err)
	require.Empty(t, f.Environments)
	type found struct {
		experiment, benchmark, contestant string
		round                             int
	}
	var all []found
	for _, l := range f.Lines {
		require.Len(t, l.Points, 1)
		all = append(all, found{l.Experiment, l.Points[0].Benchmark, l.Points[0].Contestant, l.Round})
	}
	require.Equal(t, []found{
		{"pingpong", "pingpong", "sm/cma", 1}, {"pingpong", "pingpong", "sm/cma", 2},
		{"pingpong", "pingpong", "sm/cma", 3},
		{"mbw_mr", "mbw_mr", "openmpi/none", 1}, {"mbw_mr", "mbw_mr", "openmpi/none", 2},
		{"allreduce", "allreduce", "sm", 1}, {"allreduce", "allreduce", "sm", 1}, {"column", "column", "loop", 1},
		{"npb", "is.S", "pvas", 1}, {"npb", "is.S", "pvas", 2}, {"npb", "is.S", "pvas", 3},
		{"footprint", "alltoall", "sm/none", 1}, {"touch", "touch", "pvas", 1},
		{"overlap", "ibcast 4x4", "pvas share+1", 1}, {"chain", "chain", "mpich", 1},
		{"exchange", "exchange", "wrap", 1}, {"exchange", "exchange", "wrap", 2}, {"graph", "graph", "pvas share", 1},
	}, all)
	require.Equal(t, map[string]float64{"t_us": 1, "messages_per_s": 1e6}, f.Lines[1].Points[0].Values,
		"each round has its rate")
	require.Equal(t, "8 goroutines", f.Lines[5].Points[0].Setting)
	require.Equal(t, map[string]float64{"t_us": 0, "tables_growth_kib": 0, "pss_growth_kib": -2,
		"memory_growth_kib": 7},
		f.Lines[11].Points[0].Values, "what is not known is not there")
}

func TestLoadPrintedErrors(t *testing.T) {
	for text, says := range map[string]string{
		`{"benchmark":"pingpong"}` + "\n" + `{"benchmark":"nosuch"}`: `line 2: there is no benchmark "nosuch"`,
		`{"benchmark":"pingpong"}` + "\nno":                          "line 2: ",
		`{"benchmark":"pingpong","bytes":"x"}`:                       "printed with --json",
		`{"benchmark":"touch"}` + "\n{}":                             "it names no benchmark",
		"":                                                           "bench all",
		"what":                                                       "has no results",
	} {
		_, err := loadText(t, text)
		require.ErrorContains(t, err, says, text)
	}
	_, err := Load(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
}
