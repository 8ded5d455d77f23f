package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/lab/bench/results"
)

var update = flag.Bool("update", false, "write the golden files anew; look at them before they are committed")

// golden compares what was written with a file of testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(file, got, 0o666))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got),
		"if this is as it should be: go test ./internal/lab/bench/report -update")
}

// sampleRun is what bench all --quick has written on some machine, without some of its
// contestants.
func sampleRun(t *testing.T) results.File {
	t.Helper()
	f, err := results.Load("testdata/results.jsonl")
	require.NoError(t, err)
	return f
}

func TestPage(t *testing.T) {
	var page bytes.Buffer
	require.NoError(t, Page(&page, sampleRun(t)))
	golden(t, "page.html", page.Bytes())

	text := page.String()
	require.NotRegexp(t, `(?i)(src|href)="(https?:)?//`, text, "it needs no network")
	require.NotRegexp(t, `url\(|@import|<script|NaN|Inf`, text)
	require.Regexp(t, regexp.MustCompile(`exponent of the page tables of sm, 2 KiB</td><td>about 2</td><td>[12]\.`),
		text)
}

// A page says what was not measured, and shows names as they are, whatever they are.
func TestPageOfLittle(t *testing.T) {
	const strange = `<b>&"'`
	f := results.File{
		Environments: []results.Environment{{Version: strange}},
		Lines: []results.Line{
			{Experiment: "pie", Command: "c", Round: 1, Skipped: strange},
			{Experiment: "rate", Command: "c", Round: 1, Failed: strange, Points: []results.Point{
				{Benchmark: "mbw_mr", Contestant: "before it failed", Ranks: 2,
					Values: map[string]float64{"messages_per_s": 1e6}},
			}},
			{Experiment: "rate", Command: "c", Round: 2, Failed: "was repeated"},
			{Experiment: "rate", Command: "c", Round: 2, Points: []results.Point{
				{Benchmark: "mbw_mr", Contestant: strange, Ranks: 2, Values: map[string]float64{"messages_per_s": 0}},
			}},
			{Experiment: "npb", Command: "old", Round: 1,
				Points: []results.Point{{Benchmark: "gone", Values: map[string]float64{"mops": 1}}}},
			{Experiment: "npb", Command: "new", Round: 1,
				Points: []results.Point{{Benchmark: "here", Values: map[string]float64{"mops": -1}}}},
			{Experiment: "startup", Command: "c", Round: 1,
				Points: []results.Point{{Contestant: "pvas", Values: map[string]float64{"t_s": 0}}}},
			{Experiment: "bcast", Command: "c", Round: 1,
				Points: []results.Point{{Contestant: "pvas", Bytes: 8, Values: map[string]float64{"t_us": -3}}}},
		},
	}
	var page bytes.Buffer
	require.NoError(t, Page(&page, f))
	text := page.String()
	require.Contains(t, text, "Not measured: &lt;b&gt;")
	require.Contains(t, text, "Round 1 has failed: &lt;b&gt;")
	require.Contains(t, text, "before it failed")
	require.NotContains(t, text, "was repeated")
	require.NotContains(t, text, strange)
	require.NotContains(t, text, "gone")
	require.Contains(t, text, "here")

	f.Lines = []results.Line{{Experiment: "unknown", Command: "c", Round: 1}}
	require.ErrorContains(t, Page(&page, f), "newer version")
}

// Ratios of rounds that overlap are marked, and those of one round are not: nothing is known
// of their ranges.
func TestNotToldApart(t *testing.T) {
	f := results.File{Environments: []results.Environment{{CPUs: 2}}}
	for bytes, times := range map[int][2][]float64{8: {{1, 3}, {2, 4}}, 16: {{1, 2}, {3, 4}}, 32: {{1}, {1}}} {
		for i, who := range []string{"pvas", "mpich"} {
			for round, us := range times[i] {
				f.Lines = append(f.Lines,
					results.Line{Experiment: "pingpong", Command: "c", Round: round + 1, Points: []results.Point{
						{Benchmark: "pingpong", Contestant: who, Ranks: 2, Bytes: bytes,
							Values: map[string]float64{"t_us": us}},
					}})
			}
		}
	}
	var page bytes.Buffer
	require.NoError(t, Page(&page, f))
	text := page.String()
	require.Contains(t, text, "<small>≈ 0.67×</small>")
	require.Contains(t, text, "<small>0.43×</small>")
	require.Contains(t, text, "<small>1.00×</small>")
	require.Contains(t, text, "≈: not told apart</div>")
}

// The header says what the numbers depend on, as far as it is known.
func TestPageHeader(t *testing.T) {
	load := 0.25
	line := results.Line{Experiment: "x", Command: "c", Round: 1,
		Points: []results.Point{{Benchmark: "x", Contestant: "pvas", Bytes: 8, Values: map[string]float64{"t_us": 1}}}}
	f := results.File{Environments: []results.Environment{{CPUs: 2},
		{CPUs: 2, Commit: "abc", Virtual: "KVM", Load: &load}}, Lines: []results.Line{line}}
	var page bytes.Buffer
	require.NoError(t, Page(&page, f))
	require.Contains(t, page.String(),
		"<dt>Commit</dt><dd>abc</dd><dt>Virtual machine</dt><dd>KVM</dd><dt>Load</dt><dd>0.25 at the start</dd>")
	require.Contains(t, page.String(), "Benchmark x")

	f.Environments = f.Environments[:1]
	page.Reset()
	require.NoError(t, Page(&page, f))
	require.Equal(t, 3, strings.Count(page.String(), "<dd>not recorded</dd>"))

	f.Environments = nil
	page.Reset()
	require.NoError(t, Page(&page, f))
	require.Contains(t, page.String(), "says nothing of the machine")
}

// halved returns the run as it would be if one contestant took half the time.
func halved(f results.File, contestant string) results.File {
	lines := f.Lines
	f.Lines = nil
	for _, l := range lines {
		points := l.Points
		l.Points = nil
		for _, p := range points {
			values := p.Values
			p.Values = map[string]float64{}
			for name, v := range values {
				if p.Contestant == contestant && strings.HasPrefix(name, "t_") {
					v /= 2
				}
				p.Values[name] = v
			}
			l.Points = append(l.Points, p)
		}
		f.Lines = append(f.Lines, l)
	}
	return f
}

func TestCompare(t *testing.T) {
	f := sampleRun(t)
	cfg := DiffConfig{Names: [2]string{"old.jsonl", "new.jsonl"}, Alpha: 0.05}
	var out bytes.Buffer
	require.NoError(t, Compare(&out, f, halved(f, "pvas"), cfg))
	golden(t, "diff.txt", out.Bytes())

	out.Reset()
	require.NoError(t, Compare(&out, f, f, cfg))
	require.Regexp(t, `(?m)^0 of \d+ numbers differ`, out.String())
	cfg.All = true
	out.Reset()
	require.NoError(t, Compare(&out, f, f, cfg))
	require.Greater(t, strings.Count(out.String(), " ~ "), 50)
}

func TestCompareOfDifferentRuns(t *testing.T) {
	env := []results.Environment{{CPUs: 2}}
	line := func(name, command string, contestants ...string) results.Line {
		l := results.Line{Experiment: name, Command: command, Round: 1}
		for _, c := range contestants {
			l.Points = append(l.Points,
				results.Point{Benchmark: "x", Contestant: c, Ranks: 2, Bytes: 8, Setting: "s",
					Values: map[string]float64{"t_us": 0}})
		}
		return l
	}
	a := results.File{Environments: env, Lines: []results.Line{line("both", "c", "pvas", "mpich"), line("first", "c")}}
	b := results.File{Environments: env, Lines: []results.Line{line("both", "d", "pvas"), line("second", "c")}}
	var out bytes.Buffer
	require.NoError(t, Compare(&out, a, b, DiffConfig{Names: [2]string{"a", "b"}, Alpha: 0.05}))
	for _, says := range []string{
		"0 of 1 numbers differ", "1 have too few rounds", "first is in a only", "second is in b only",
		`both was made by different commands: "c", "d"`, "x, mpich, 2 ranks, 8 B, s of both is in a only",
	} {
		require.Contains(t, out.String(), says)
	}
}

func TestFormats(t *testing.T) {
	require.Equal(t, "0.00046×", ratio(0.000462))
	require.Equal(t, "1.00×", ratio(1))
	require.Empty(t, ratio(0))
	require.Equal(t, "+7.9 %", percent(1.079))
	require.Equal(t, "16 KiB", size(16<<10))
}
