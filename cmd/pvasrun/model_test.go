package main

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/cmd/pvasrun/internal/model"
	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/fit"
	"github.com/gopvas/gopvas/trace"
)

func TestModelRun(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		require.NoError(t, os.WriteFile(dir+"/"+name, []byte(text), 0o600))
		return dir + "/" + name
	}
	good := file("good.goal", "num_ranks 2\nrank 0 {\nsend 10b to 1\n}\nrank 1 {\nrecv 10b from 0\n}\n")

	got := command(t, nil, "model", "run", good, "--param", "L=100,o=10,G=2,S=50", "--model", "loggops")
	require.Equal(t, 0, got.code, got.stderr)
	require.Equal(t, "0 10\n1 138\n", got.stdout) // L + 2o + 9G

	got = command(t, nil, "model", "run", good)
	require.Equal(t, 2, got.code)
	require.Contains(t, got.stderr, "--param is missing: write for example --param myrinet")

	got = command(t, nil, "model", "run", "--param", "myrinet", "--json", good)
	require.Equal(t, 0, got.code, got.stderr)
	var r model.Result
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &r))
	require.Equal(t, 3, r.Events)
	require.InDelta(t, 2*6730+850+10*(5.02+4.72+15.17), r.Time, 1e-6)
	require.InDelta(t, 6730+50.2, r.Ranks[0].Spent["overhead"], 1e-6)

	params := file("p.json", `{"model":"LogGPS","version":1,"links":[{"name":"x","params":{"L":7,"s":99,"S":99}}]}`)
	got = command(t, nil, "model", "run", good, "--param", params)
	require.Equal(t, "0 0\n1 7\n", got.stdout)
	got = command(t, nil, "model", "run", good, "--param", params, "--S", "0")
	require.Equal(t, "0 14\n1 21\n", got.stdout, "the receiver's word takes L, too")

	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{good, "--param", "L=5,S=0", "--model", "loggps"}, 0, ""},
		{[]string{file("lost.goal", "num_ranks 2\nrank 0 {\nsend 10b to 1\n}\n"), "--param", "L=1"}, 1,
			"lost.goal:3: send 10 B to rank 1"},
		{[]string{file("cycle.goal", "num_ranks 1\nrank 0 {\na: calc 1\na requires a\n}\n"), "--param", "L=1"}, 1,
			"cycle.goal:3: this operation waits for itself"},
		{[]string{file("bad.goal", "num_ranks 1\nrank 0 {\ncalc -1\n}\n"), "--param", "L=1"}, 2,
			"bad.goal:3: calc -1 is out of range"},
		{[]string{good}, 2, "param"},
		{[]string{dir + "/none"}, 2, "no such file or directory: name a trace"},
		{[]string{file("empty", ""), "--param", "L=1"}, 2,
			"num_ranks is missing; begin the file with num_ranks N; nor is it a trace of pvasrun --trace FILE"},
		{[]string{file("binary", "\x7fELF"), "--param", "L=1"}, 2, "nor is it a trace"},
		{[]string{good, "--param", "L=x"}, 2, "NAME=NUMBER"},
		{[]string{good, "--param", "nothing.json"}, 2, "nothing.json"},
		{[]string{good, "--param", dir}, 2, "is a directory: write a list such as"},
		{[]string{good, "--param", good}, 2, "want parameters, which pvasrun model fit -o FILE writes"},
		{[]string{dir, "--param", "L=1"}, 2, "is a directory: name a trace"},
		{[]string{dir + "/none", "--param", "L=1"}, 2, "no such file or directory: name a trace"},
		{[]string{good, "--param", "L=1", "--compute", "1e308", "--json"}, 2, "--compute: want a factor above 0"},
		{[]string{good, "--param", "L=1e308,o=1e308", "--json"}, 2, "beyond all numbers"},
		{[]string{good, "--param", "L=1", "--S", "0"}, 0, ""},
		{[]string{good, "--param", "L=1,S=64K"}, 0, ""},
		{[]string{file("sizes.goal", "num_ranks 2\nrank 0 {\nsend 5b to 1\n}\nrank 1 {\nrecv 6b from 0\n}\n"),
			"--param", "L=1"}, 0, "sizes.goal:3: send 5 B to rank 1, tag 0: the size of the send counts, " +
			"and not that of rank 1, "},
		{[]string{"--param", "L=1"}, 2, "name a trace or GOAL file"},
		{nil, 2, "name a trace or GOAL file"},
		{[]string{good, "--param", "myrinet", "--model", "loggops"}, 2, "make Oss, Ors, Osl, Orl equal"},
	} {
		got := command(t, nil, append([]string{"model", "run"}, c.args...)...)
		require.Equal(t, c.code, got.code, "%v: %s", c.args, got.stderr)
		require.Contains(t, got.stderr, c.says)
	}
	got = command(t, nil, "model")
	require.Equal(t, 2, got.code)
	require.Contains(t, got.stderr, "pvasrun model run FILE")
}

// writeTimes writes times made from known parameters.
func writeTimes(t *testing.T, file string) loggps.Params {
	t.Helper()
	link, err := loggps.Preset("fast-ethernet")
	require.NoError(t, err)
	p := link.Params
	var samples []fit.Sample
	for _, k := range fit.Sizes(1 << 16) {
		w := 1.25 * p.RoundTrip(k, 0)
		samples = append(samples, fit.Sample{Kind: fit.RoundTrip, Bytes: k, Time: p.RoundTrip(k, 0)},
			fit.Sample{Kind: fit.RoundTrip, Bytes: k, Loop: w, Time: p.RoundTrip(k, w)},
			fit.Sample{Kind: fit.Send, Bytes: k, Loop: 100, Time: 100 + p.SendTime(k, 0)})
	}
	require.NoError(t, cli.WriteNamed(file, "", 0, func(w io.Writer) error { return fit.WriteCSV(w, samples) }))
	return p
}

// TestOnlyOutputsAreOverwritten: a command replaces what it has written before, and an empty file. Any other file, such
// as a trace, stays as it is, and nothing is measured.
func TestOnlyOutputsAreOverwritten(t *testing.T) {
	hello := programs.Build(t, "../../examples/hello")
	t.Chdir(t.TempDir())
	writeTimes(t, "times.csv")
	require.NoError(t, os.WriteFile("job.goal", []byte("num_ranks 1\nrank 0 {\ncalc 5\n}\n"), 0o600))
	got := command(t, nil, "--trace", "job.trace", "-n", "1", hello)
	require.Equal(t, 0, got.code, got.stderr)
	got = command(t, nil, "bench", "pingpong", "--btl", "sm", "--sizes", "8", "--reps", "1", "--json")
	require.Equal(t, 0, got.code, got.stderr)
	require.NoError(t, os.WriteFile("results", []byte(got.stdout), 0o600))
	for i, line := range []string{
		"model show --param myrinet job.goal -o", "model fit --from times.csv -o", "model fit --from times.csv --plot",
		"model fit --from times.csv --samples", "trace perfetto job.trace -o", "bench report results -o",
		"model export job.trace -o",
	} {
		file := fmt.Sprint("output", i)
		args := append(strings.Fields(line), file)
		for range 2 {
			got := command(t, nil, args...)
			require.Equal(t, 0, got.code, "%s: %s", line, got.stderr)
		}
		require.NoError(t, os.Truncate(file, 0))
		got := command(t, nil, args...)
		require.Equal(t, 0, got.code, "%s: %s", line, got.stderr)
		for _, others := range []string{"a table", trace.Magic, "<html>"} {
			require.NoError(t, os.WriteFile(file, []byte(others), 0o600))
			got := command(t, nil, args...)
			require.Equal(t, 2, got.code, line)
			require.Contains(t, got.stderr, file+": it ", line)
			require.Contains(t, got.stderr, " and is not overwritten: name another file, or remove this one", line)
			require.Empty(t, got.stdout, line)
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, others, string(text), line)
		}
	}
	require.NoError(t, os.WriteFile("m-sm-warm.json", []byte("a table"), 0o600)) // of the second combination
	got = command(t, nil, "model", "fit", "--btl", "pvas,sm", "--caches", "warm", "-o", "m.json")
	require.Equal(t, 2, got.code)
	require.Contains(t, got.stderr, "m-sm-warm.json: it has no parameters and is not overwritten")
}

// Times made from known parameters give them back, in all that the command writes.
func TestModelFitFile(t *testing.T) {
	dir := t.TempDir()
	times, machine, plot := dir+"/times.csv", dir+"/machine.json", dir+"/plot.svg"
	p := writeTimes(t, times)
	got := command(t, nil, "model", "fit", "--from", times, "-o", machine, "--plot", plot)
	require.Equal(t, 0, got.code, got.stderr)
	require.Contains(t, got.stdout, "L")
	m, err := model.ReadMachine(machine)
	require.NoError(t, err)
	require.InEpsilon(t, p.L, m.Links[0].Params.L, 1e-4)
	require.EqualValues(t, p.Packet, m.Links[0].Params.Packet)
	svg, err := os.ReadFile(plot)
	require.NoError(t, err)
	require.NoError(t, xml.Unmarshal(svg, new(struct{})))
	require.True(t, strings.Contains(string(svg), "S = 14,336"), "the largest size measured that is not above S")
	require.Contains(t, string(svg), "w = 0", "the raw round trips, without a loop")
	require.Regexp(t, `w = \d`, string(svg), "and with one that is longer than all of them")

	got = command(t, nil, "model", "fit", "--from", times, "--json")
	require.Equal(t, 0, got.code, got.stderr)
	var r model.FitReport
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &r))
	require.InEpsilon(t, p.Gs, r.Parameters["Gs"].Value, 1e-4)
	require.True(t, r.Sync.Found)

	require.NoError(t, os.WriteFile(times, []byte("rtt,1,0\n"), 0o600))
	got = command(t, nil, "model", "fit", "--from", times)
	require.Equal(t, 2, got.code)
	require.Contains(t, got.stderr, "times.csv:1: 3 fields, want 4")
	for _, args := range [][]string{{"--largest", "1"}, {"--times", "1"}, {"--caches", "hot"}, {"--eager-limit", "0"},
		{"-o", dir}, {"--plot", dir + "/none/plot.svg"}, {"--from", dir + "/none"}} {
		require.Equal(t, 2, command(t, nil, append([]string{"model", "fit"}, args...)...).code, args)
	}
}

// S is the eager limit that the ranks have. How long messages take does
// not matter for it.
func TestModelFitFindsTheEagerLimit(t *testing.T) {
	for _, limit := range testkit.Some("16K", "1K") {
		file := t.TempDir() + "/machine.json"
		got := command(t, nil, "model", "fit", "--times", "3", "--largest", "32K", "--max-seconds", "1", "--caches",
			"warm", "--btl", strings.Join(turn(t, 0), ","), "--eager-limit", limit, "--json", "-o", file)
		require.Equal(t, 0, got.code, got.stderr)
		machine, err := model.ReadMachine(file)
		require.NoError(t, err)
		require.Contains(t, machine.Recording, "send", "what recording costs is measured, too")
		for line := range strings.Lines(got.stdout) {
			var r model.FitReport
			require.NoError(t, json.Unmarshal([]byte(line), &r))
			require.True(t, r.Sync.Found)
			require.Equal(t, limit, fmt.Sprintf("%dK", r.Sync.At>>10), r.Who)
			require.Zero(t, r.Sync.At%1024)
		}
	}
}

// A recorded job is simulated, compared with what was measured, explained and shown.
func TestModelOfATrace(t *testing.T) {
	dir := t.TempDir()
	file := dir + "/gauss.trace"
	got := command(t, nil, "--btl", models(t)[0], "-n", "4", "--timeout", "100", "--trace", file,
		programs.Build(t, "../../examples/gauss"), "-n", "40")
	require.Equal(t, 0, got.code, got.stderr)

	got = command(t, nil, "model", "run", file, "--param", "myrinet")
	require.Equal(t, 0, got.code, got.stderr)
	require.Regexp(t, `(?m)^  slowest +\d.* +[-+]\d+\.\d %$`, got.stdout)
	times := map[string]float64{}
	for _, args := range [][]string{nil, {"--compute", "100"}, {"--S", "1"}, {"--synchronous"},
		{"--S", "1", "--fragment", "128"}, {"--model", "loggp1"}, {"--model", "loggp2"},
		{"--model", "loggp2", "--S", "1"}, {"--no-sharing"},
		{"--cpus", "2", "--compute", "100"}} {
		got = command(t, nil, append([]string{"model", "run", file, "--param", "myrinet", "--json"}, args...)...)
		require.Equal(t, 0, got.code, got.stderr)
		var r model.Result
		require.NoError(t, json.Unmarshal([]byte(got.stdout), &r))
		require.Len(t, r.Ranks, 4)
		require.Positive(t, r.Ranks[3].Measured)
		times[strings.Join(args, " ")] = r.Time
	}
	require.Greater(t, times["--compute 100"], times[""])
	require.Greater(t, times["--S 1"], times[""], "the senders wait for receivers")
	require.GreaterOrEqual(t, times["--synchronous"], times["--S 1"])
	require.Greater(t, times["--S 1 --fragment 128"], times["--S 1"], "each piece waits for its receiver")
	require.LessOrEqual(t, times["--no-sharing"], times[""])
	require.Less(t, times["--model loggp1"], times["--S 1"], "no sender waits")
	require.Greater(t, times["--model loggp2 --S 1"], times["--model loggp2"], "the senders wait for receivers")
	require.NotEqual(t, times["--model loggp1"], times["--model loggp2"])
	require.Greater(t, times["--cpus 2 --compute 100"], times["--compute 100"])

	for param, says := range map[string]string{"myrinet": "change", "L=300,o=200,G=0.1,S=4096": "error"} {
		got = command(t, nil, "model", "run", file, file, "--param", param, "--plot", dir+"/spent.svg")
		require.Equal(t, 0, got.code, got.stderr)
		require.Regexp(t, `(?m)^  mean of its ranks, predicted +computation +overhead`, got.stdout)
		require.Regexp(t, `(?m)^median `+says+` \d+\.\d %, worst \d+\.\d %$`, got.stdout)
	}

	bars, err := os.ReadFile(dir + "/spent.svg")
	require.NoError(t, err)
	require.GreaterOrEqual(t, strings.Count(string(bars), `class="c0 bar"`), 2, "a bar for each job")
	got = command(t, nil, "model", "run", file, "--param", "myrinet", "--plot", file)
	require.Equal(t, 2, got.code)
	require.Contains(t, got.stderr, "would replace a program")

	exported := dir + "/gauss.goal"
	got = command(t, nil, "model", "export", file, "-o", exported)
	require.Equal(t, 0, got.code, got.stderr)
	got = command(t, nil, "model", "run", exported, "--param", "myrinet", "--json")
	require.Equal(t, 0, got.code, got.stderr)
	var again model.Result
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &again))
	require.InEpsilon(t, times[""], again.Time, 0.15, "what is exported takes as long, but for the calls of waits")

	got = command(t, nil, "model", "show", file, "--param", "myrinet")
	require.Equal(t, 0, got.code, got.stderr)
	for _, part := range []string{"measured: ", "predicted: ", "What the time is made of", "What ranks wait for",
		"parallel efficiency ", "What ranks spend their time on", "What ranks would wait for",
		"; change of the prediction",
		"see " + dir + "/gauss.html"} {
		require.Contains(t, got.stdout, part)
	}
	page, err := os.ReadFile(dir + "/gauss.html")
	require.NoError(t, err)
	require.True(t, strings.Contains(string(page), "rank 3, measured"))
}

func TestModelMistakesOfTraces(t *testing.T) {
	file := t.TempDir() + "/bad.trace"
	for text, says := range map[string]string{
		"gopvastr": "bad.trace",
		"gopvastr\x63\x00\x00\x00\x00\x00\x00\x00": "the file has version 99",
	} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		got := command(t, nil, "model", "run", file, "--param", "myrinet")
		require.Equal(t, 2, got.code)
		require.Contains(t, got.stderr, says)
	}
	exchange := t.TempDir() + "/exchange.goal"
	require.NoError(t,
		os.WriteFile(exchange,
			[]byte("num_ranks 2\nrank 0 {\na: send 8b to 1\nb: recv 8b from 1\nb requires a\n}\nrank 1 {\na: send 8b "+
				"to 0\nb: recv 8b from 0\nb requires a\n}\n"), 0o600))
	for _, verb := range []string{"run", "show"} {
		got := command(t, nil, "model", verb, exchange, "--param", "myrinet", "--synchronous")
		require.Equal(t, 1, got.code)
		require.Contains(t, got.stderr, "wait for one another in a circle")
		require.Contains(t, got.stderr, "exchange.goal:3: send 8 B to rank 1")
	}
}

// Of more fits than there is time for, those are told that were made. One CPU is too few.
func TestModelFitRepeatsWithinTime(t *testing.T) {
	fit := []string{"model", "fit", "--repeat", "1000000", "--max-seconds", "1", "--times", "3", "--btl",
		"sm", "--caches", "warm"}
	got := command(t, nil, fit...)
	require.Equal(t, 0, got.code, got.stderr)
	require.Contains(t, got.stderr, "of 1000000 fits: --max-seconds leaves no time for more")
	require.Contains(t, got.stdout, "# sm-warm, ")
	require.Equal(t, runtime.NumCPU() > 1, strings.Contains(got.stdout, " ns between the CPUs and back\n"), got.stdout)
	require.Equal(t, runtime.NumCPU() < 2, strings.Contains(got.stderr, "it goes on with one CPU"))
	got = command(t, nil, "model", "fit", "--max-seconds", "0")
	require.Equal(t, 2, got.code)
	require.Contains(t, got.stderr, "--max-seconds: 0 leaves no time to measure")
}

// TestAdvice: where senders wait for receivers, model show says what shorter messages would gain.
func TestAdvice(t *testing.T) {
	file := t.TempDir() + "/two.goal"
	require.NoError(t, os.WriteFile(file, []byte("num_ranks 2\nrank 0 {\na: send 20000b to 1\nb: calc 900000\n"+
		"b requires a\n}\nrank 1 {\na: calc 400000\nb: recv 20000b from 0\nb requires a\n}\n"), 0o600))
	got := command(t, nil, "model", "show", file, "-o", "-", "--param", "myrinet")
	require.Equal(t, 0, got.code, got.stderr)
	require.Regexp(t, `(?m)^advice: messages .* pieces of 16383 bytes .* \(-\d+\.\d %\)$`, got.stdout)
	got = command(t, nil, "model", "show", file, "-o", "-", "--param", "myrinet", "--fragment", "16383")
	require.Equal(t, 0, got.code, got.stderr)
	require.NotContains(t, got.stdout, "advice: ")
	for _, wrong := range [][]string{{"--fragment", "0"}, {"--model", "loggp1", "--S", "4K"}} {
		got = command(t, nil, append([]string{"model", "run", file, "--param", "myrinet"}, wrong...)...)
		require.Equal(t, 2, got.code)
		require.Contains(t, got.stderr, "model run: "+wrong[0])
	}
	require.NoError(t, os.WriteFile(file, []byte("num_ranks 2\nrank 0 {\nsend 9000000000000000b to 1\n}\n"+
		"rank 1 {\nrecv 9000000000000000b from 0\n}\n"), 0o600))
	got = command(t, nil, "model", "run", file, "--param", "myrinet", "--fragment", "1")
	require.Equal(t, 2, got.code)
	require.Contains(t, got.stderr, "give --fragment a larger size")
	got = command(t, nil, "model", "run", file, "--param", "myrinet", "--plot", file+".svg")
	require.Equal(t, 2, got.code)
	require.Contains(t, got.stderr, "leave out --plot")
}

// TestModelOfGoroutines: a recorded job of which goroutines were in calls at a time can be predicted.
func TestModelOfGoroutines(t *testing.T) {
	program, file := programs.Build(t, "./testdata/together"), t.TempDir()+"/trace"
	got := command(t, nil, "--trace", file, "--timeout", "60", "-n", "2", program)
	require.Equal(t, 0, got.code, got.stderr)
	for _, what := range [][]string{nil, {"--synchronous"}, {"--S", "100K"}} {
		got = command(t, nil, append([]string{"model", "run", file, "--param", "myrinet"}, what...)...)
		require.Equal(t, 0, got.code, got.stderr)
		require.NotContains(t, got.stderr, "told apart", "each goroutine has its number")
	}
	got = command(t, nil, "trace", "list", file)
	require.Regexp(t, `(recv|send) .* thread [1-9] `, got.stdout)
	got = command(t, nil, "trace", "info", "--json", file)
	require.Equal(t, 0, got.code, got.stderr)
	var s trace.Summary
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &s))
	for _, c := range s.Calls {
		if c.Kind == "send" || c.Kind == "recv" {
			require.Equal(t, 80, c.Calls, c.Kind)
		}
	}
}
