package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/lab/bench/results"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// A run goes on where it was, does not measure twice, and becomes a page and a
// comparison.
func TestBenchAll(t *testing.T) {
	dir := t.TempDir()
	file, page := filepath.Join(dir, "r.jsonl"), filepath.Join(dir, "r.html")
	experiments := []string{"pingpong", "rate"}
	if testkit.Long() {
		experiments = append(experiments, "huge-pages")
	}
	args := []string{"bench", "all", "--quick", "--only", strings.Join(experiments, ","), "--btl",
		strings.Join(turn(t, 0), ","), "-o", file}
	got := command(t, nil, args...)
	require.Equal(t, 0, got.code, got.stderr)
	require.Contains(t, got.stdout, "bench report "+file)
	f, err := results.Load(file)
	require.NoError(t, err)
	require.Len(t, f.Environments, 1)
	require.Equal(t, "mbw_mr", f.Lines[1].Points[0].Benchmark)
	require.Positive(t, f.Lines[1].Points[0].Values["messages_per_s"])
	rounds := len(f.Lines)
	require.GreaterOrEqual(t, rounds, 4*len(experiments), "with fewer than 4 of each no difference shows")
	for i, l := range f.Lines {
		require.Equal(t, []any{experiments[i%len(experiments)], i/len(experiments) + 1, ""},
			[]any{l.Experiment, l.Round, l.Failed})
	}

	text, err := os.ReadFile(file)
	require.NoError(t, err)
	last := strings.LastIndex(strings.TrimSpace(string(text)), "\n")
	require.NoError(t, os.WriteFile(file, text[:last+20], 0o666)) // as if it had been killed while writing
	require.Equal(t, 0, command(t, nil, args...).code)
	f, err = results.Load(file)
	require.NoError(t, err)
	require.Len(t, f.Environments, 2)
	require.Len(t, f.Lines, rounds)

	got = command(t, nil, "bench", "report", file, "-o", page)
	require.Equal(t, 0, got.code, got.stderr)
	html, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Contains(t, string(html), "Message rate")
	got = command(t, nil, "bench", "diff", file, file)
	require.Equal(t, 0, got.code, got.stderr)
	require.Contains(t, got.stdout, "0 of ")

	foreign := strings.Replace(string(text), `"cpus":`, `"cpus":1`, 1)
	require.NoError(t, os.WriteFile(file, []byte(foreign), 0o666))
	got = command(t, nil, args...)
	require.Equal(t, 2, got.code)
	require.Contains(t, got.stderr, "name another file")
}

// bench report takes what every kind of benchmark prints.
func TestReportOfPrinted(t *testing.T) {
	dir := t.TempDir()
	file, page := filepath.Join(dir, "r"), filepath.Join(dir, "r.html")
	var all strings.Builder
	for i, args := range []string{
		"pingpong --sizes 8,64 --reps 10 --rounds 2", "barrier --reps 10", "column --sizes 64,256 --reps 10",
		"touch -n 2,3 --size 64K", "footprint -n 2,3 --sizes 2K --reps 5", "npb is -n 1",
		"overlap --part broadcast --sizes 1K --tests each --grain 4 --rounds 1 --blocks 1 --loop 1ms " +
			"--work 100us --helpers 0", "overlap --part chain --rounds 1 --helpers 0",
		"overlap --part graph --rounds 1 --helpers 0",
	} {
		got := command(t, nil,
			append(append([]string{"bench"}, strings.Fields(args)...), "--json", "--btl",
				strings.Join(turn(t, i), ","))...)
		require.Equal(t, 0, got.code, "%s: %s", args, got.stderr)
		all.WriteString(got.stdout)
	}
	require.NoError(t, os.WriteFile(file, []byte(all.String()), 0o666))
	got := command(t, nil, "bench", "report", file, "-o", page)
	require.Equal(t, 0, got.code, got.stderr)
	html, err := os.ReadFile(page)
	require.NoError(t, err)
	for _, name := range []string{"pingpong", "barrier", "column", "touch", "footprint", "npb",
		"overlap", "chain", "graph"} {
		require.Contains(t, string(html), "<h2>Benchmark "+name+"</h2>")
	}
	require.Contains(t, string(html), "(measured 2 times)")
}

func TestBenchAllUsage(t *testing.T) {
	dir := t.TempDir()
	for args, says := range map[string]string{
		"all --only nothing": "there are pingpong",
		"all --btl x":        "not a list of task models",
		"all more":           "unexpected argument",
		"report":             "name one file",
		"report a b":         "name one file",
		"diff a":             "name two files",
		"diff a b --alpha 2": "between 0 and 1",
	} {
		got := command(t, nil, append([]string{"bench"}, strings.Fields(args)...)...)
		require.Equal(t, 2, got.code, "%s: %s", args, got.stderr)
		require.Contains(t, got.stderr, says, args)
	}
	for _, args := range [][]string{
		{"report", dir + "/none"}, {"diff", dir + "/none", dir + "/none"},
		{"all", "--only", "rate,huge-pages", "-o", dir + "/none/r"},
	} {
		require.Equal(t, 2, command(t, nil, append([]string{"bench"}, args...)...).code, args)
	}
}
