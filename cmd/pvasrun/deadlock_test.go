package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
)

// longWaits is for a thorough test by hand: 300 programs that wait for 3 to 20 s take some minutes.
var longWaits = flag.Int("long-waits", 0, "number of programs that wait for long, for 3 to 20 s, to be run")

// waitCase is a line of testdata/hangs.
type waitCase struct {
	name  string
	ranks int
}

// waitCases returns the program and its cases of a kind.
func waitCases(t *testing.T, kind string) (program string, cases []waitCase) {
	program = programs.Build(t, "./testdata/hangs")
	out, err := exec.Command(program).Output()
	require.NoError(t, err)
	for line := range strings.Lines(string(out)) {
		var k string
		var c waitCase
		_, err := fmt.Sscan(line, &k, &c.name, &c.ranks)
		require.NoError(t, err)
		if k == kind {
			cases = append(cases, c)
		}
	}
	return program, cases
}

// ways are the flags of the jobs: both task models, and two nodes for those of several ranks.
func (c waitCase) ways(t *testing.T, rsh string) (ways [][]string) {
	for _, btl := range models(t) {
		ways = append(ways, []string{"--btl", btl, "-n", fmt.Sprint(c.ranks)})
	}
	if c.ranks > 1 && c.name != "window-locks" { // where another goroutine asks for locks of other nodes
		ways = append(ways, []string{"--hosts", fmt.Sprintf("a:1,b:%d", c.ranks-1), "--rsh", rsh})
	}
	return ways
}

// sideBySide runs functions, which mostly wait, some at a time.
func sideBySide(most int, list []func()) {
	var wg sync.WaitGroup
	slots := make(chan struct{}, most)
	for _, f := range list {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			f()
		})
	}
	wg.Wait()
}

// Programs that can never go on are told so, and end. Their calls fit, and the report says nothing else.
func TestDeadlocksEndTheJob(t *testing.T) {
	program, cases := waitCases(t, "hang")
	require.Greater(t, len(cases), 33)
	rsh := hereAs(t)
	var list []func()
	for _, c := range cases {
		for _, way := range testkit.Some(c.ways(t, rsh)...) {
			list = append(list, func() {
				got := command(t, nil,
					append(way, "--deadlock-after", "300ms", "--timeout", "50", program, "hang", c.name)...)
				if got.code != 125 || strings.Count(got.stderr, "what the ranks do:") != 1 ||
					!strings.Contains(got.stderr, "  deadlock, proved: ") ||
					strings.Contains(got.stderr, "all ranks of a communicator call the same") ||
					!strings.Contains(got.stderr, "pvasrun: deadlock: ending ") {
					t.Errorf("%s, %v: code %d\n%s", c.name, way, got.code, got.stderr)
				}
			})
		}
	}
	sideBySide(4, list)
}

// Programs that wait for long and can go on are left alone, however soon and often they are looked at.
func TestLongWaitsAreNoDeadlocks(t *testing.T) {
	program, cases := waitCases(t, "right")
	rsh := hereAs(t)
	var list []func()
	add := func(c waitCase, way []string, after string, long time.Duration) {
		list = append(list, func() {
			got := command(t, env("HANGS_LONG="+long.String()),
				append(way, "--deadlock-after", after, program, "right", c.name)...)
			if got.code != 0 {
				t.Errorf("%s for %v, %v: code %d\n%s", c.name, long, way, got.code, got.stderr)
			}
		})
	}
	if *longWaits == 0 {
		for _, c := range cases {
			for _, way := range testkit.Some(c.ways(t, rsh)...) {
				add(c, way, "20ms", 400*time.Millisecond)
			}
		}
		sideBySide(4, list)
		return
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	for i := range *longWaits {
		c := cases[i%len(cases)]
		ways := c.ways(t, rsh)
		add(c, ways[random.IntN(len(ways))], "3s", 3*time.Second+time.Duration(random.Int64N(int64(17*time.Second))))
	}
	sideBySide(16, list)
}

// The report may be all that comes of it, and nobody may look.
func TestDeadlockPolicies(t *testing.T) {
	program, _ := waitCases(t, "hang")
	for policy, reports := range map[string]int{"report": 2, "off": 1} {
		got := command(t, nil, "--deadlock", policy, "--deadlock-after", "100ms", "--timeout", "3", "-n", "2",
			program, "hang", "recv-ring-2")
		require.Equal(t, 124, got.code, got.stderr)
		require.Equal(t, reports, strings.Count(got.stderr, "what the ranks do:"), got.stderr)
	}
}

// Ranks that call different operations, or with different roots, are told so: by an error where their messages meet,
// and else by the report of the deadlock.
func TestCallsThatDoNotFit(t *testing.T) {
	program, cases := waitCases(t, "mismatch")
	require.Greater(t, len(cases), 9)
	rsh := hereAs(t)
	told := regexp.MustCompile(`mpi: \w+: rank \d and others called different operations, or with different roots`)
	proved := regexp.MustCompile(`(?s)(?:` +
		`\n  ranks \d and \d have called \w+ with different roots, operators or lengths: ` +
		`|\n  rank \d has called \w+, and rank \d in its place \w+: ).*\n  deadlock, proved: `)
	var list []func()
	for i, c := range cases {
		ways := testkit.Turn(i, c.ways(t, rsh)...)
		if slices.Contains([]string{"bcast-roots-3", "bcast-roots-4", "bcast-one-root"}, c.name) {
			// They may meet at a board at once.
			for _, btl := range turn(t, i) {
				ways = append(ways, []string{"--btl", btl, "-n", fmt.Sprint(c.ranks), "--coll", "bcast=slot"})
			}
		}
		for _, way := range ways {
			list = append(list, func() {
				got := command(t, nil,
					append(way, "--deadlock-after", "300ms", "--timeout", "50", program, "mismatch", c.name)...)
				ok := got.code == 1 && told.MatchString(got.stderr)
				if !ok && (got.code != 125 || !proved.MatchString(got.stderr)) {
					t.Errorf("%s, %v: code %d\n%s", c.name, way, got.code, got.stderr)
				}
			})
		}
	}
	sideBySide(4, list)
}

// Goroutines that race in collective calls of one communicator hang nowhere: each call ends, or a deadlock is proved.
func TestRacesEnd(t *testing.T) {
	program, cases := waitCases(t, "race")
	require.Greater(t, len(cases), 9)
	var list []func()
	for _, c := range cases {
		for _, btl := range models(t) {
			list = append(list, func() {
				got := command(t, nil, "--btl", btl, "-n", fmt.Sprint(c.ranks), "--deadlock-after", "300ms",
					"--timeout", "50", program, "race", c.name)
				if got.code != 0 && (got.code != 125 || !strings.Contains(got.stderr, "  deadlock, proved: ")) {
					t.Errorf("%s, %s: code %d\n%s", c.name, btl, got.code, got.stderr)
				}
			})
		}
	}
	sideBySide(4, list)
}

// A report that no look for a deadlock has preceded has the places of calls, too.
func TestReportOfPlaces(t *testing.T) {
	program, _ := waitCases(t, "hang")
	rsh := hereAs(t)
	for _, way := range testkit.Some((waitCase{ranks: 2}).ways(t, rsh)...) {
		var got finished
		// Ranks of a busy machine may need longer to begin to wait, or to answer.
		require.Eventually(t, func() bool {
			got = command(t, nil,
				append(way, "--deadlock", "off", "--timeout", "1", program, "hang", "recv-ring-2")...)
			require.Equal(t, 124, got.code, got.stderr)
			return len(regexp.MustCompile(`(?m)^  \d .* in recv \(main\.recv at main\.go:\d+\) for `).
				FindAllString(got.stderr, -1)) == 2
		}, time.Minute, time.Millisecond, "%v: %s", way, &got)
	}
}

// hangFile is what the test reads of the report for programs.
type hangFile struct {
	Ranks []struct {
		Rank        int
		State, Text string
		Wait        struct {
			Call, Communicator string
			Seconds            float64
			For                []int
		}
	}
	Deadlock *struct {
		Ranks, Cycle []int
		All          bool
	}
	Notes []string
}

// The report for programs says the same.
func TestReportOfAHangAsJSON(t *testing.T) {
	program, _ := waitCases(t, "hang")
	file := filepath.Join(t.TempDir(), "hang.json")
	for _, where := range [][]string{{"-n", "3"}, {"--hosts", "a:1,b:2", "--rsh", hereAs(t)}} {
		var report hangFile
		// Ranks 0 and 1 are a proof, too, if rank 2 begins to wait much later.
		require.Eventually(t, func() bool {
			got := command(t, nil, append(where, "--deadlock-after", "100ms", "--report-hang", file, program, "hang",
				"barrier-left-out")...)
			require.Equal(t, 125, got.code, got.stderr)
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			require.NoError(t, os.Remove(file))
			report = hangFile{}
			require.NoError(t, json.Unmarshal(text, &report), string(text))
			require.Len(t, report.Ranks, 3)
			require.Subset(t, report.Deadlock.Ranks, []int{0, 1})
			require.Contains(t, report.Ranks[0].Text, "in recv (main.recv at main.go:")
			require.Equal(t, []int{1}, report.Ranks[0].Wait.For)
			return report.Deadlock.All
		}, time.Minute, time.Millisecond)
		require.Equal(t, "waiting", report.Ranks[2].State)
		require.Equal(t, "barrier", report.Ranks[2].Wait.Call)
		require.Equal(t, "world", report.Ranks[2].Wait.Communicator)
		require.Positive(t, report.Ranks[2].Wait.Seconds)
		require.Equal(t, []int{0, 1, 2}, report.Deadlock.Ranks)
		require.Contains(t, report.Notes[len(report.Notes)-1], "deadlock, proved: ")
	}
	require.Eventually(t, func() bool { // what is not proved is in it, too
		got := command(t, nil, "-n", "3", "--deadlock=off", "--timeout", "1", "--report-hang", file, program, "hang",
			"barrier-left-out")
		require.Equal(t, 124, got.code, got.stderr)
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		report := hangFile{}
		require.NoError(t, json.Unmarshal(text, &report), string(text))
		for _, note := range report.Notes {
			require.Contains(t, got.stderr, "  "+note+"\n")
		}
		return report.Deadlock == nil && strings.Contains(strings.Join(report.Notes, "\n"), "deadlock: ")
	}, time.Minute, time.Millisecond)
}

// A file of the report, or of a trace, that cannot be written or is another output is refused before anything runs.
func TestReportOfAHangThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	nowhere, same := filepath.Join(dir, "none", "x"), filepath.Join(dir, "job.trace")
	here, nodes := []string{"-n", "2"}, []string{"--hosts", "a:1,b:1", "--rsh", hereAs(t)}
	for _, c := range []struct {
		says       string
		where, and []string
	}{
		{"name a file that you may write", here, []string{"--report-hang", nowhere}},
		{"name a file that you may write", nodes, []string{"--report-hang", nowhere}},
		{"is a directory: name a file that you may write", here, []string{"--report-hang", dir}},
		{"give each a file of its own", here, []string{"--report-hang", same, "--trace", same}},
		{"give each a file of its own", nodes, []string{"--report-hang", same, "--trace", same}},
		{"name another file", here,
			[]string{"--report-hang", filepath.Join(dir, "rank.0.stdout"), "--output-dir", dir}},
		{"--trace: ", here, []string{"--trace", nowhere}},
		{"--trace: ", nodes, []string{"--trace", nowhere}},
	} {
		got := command(t, nil, append(append(c.where, c.and...), "echo", "it runs")...)
		require.Equal(t, 2, got.code, "%v\n%s", c, got.stderr)
		require.Contains(t, got.stderr, c.says)
		require.Empty(t, got.stdout)
	}
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

// Ranks that poll say for what, also on several nodes, and in the report for programs.
func TestReportOfPolls(t *testing.T) {
	stuck := programs.Build(t, "./testdata/stuck")
	ways := [][]string{{"--hosts", "a:1,b:2", "--rsh", hereAs(t)}}
	for _, btl := range models(t) {
		ways = append(ways, []string{"-n", "3", "--btl", btl})
	}
	for _, way := range testkit.Some(ways...) {
		file := filepath.Join(t.TempDir(), "hang.json")
		// The ranks of a machine with few CPUs may need more than one question.
		require.Eventually(t, func() bool {
			got := command(t, nil, append(way, "--timeout", "1", "--report-hang", file, stuck, "polls")...)
			require.Equal(t, 124, got.code, got.stderr)
			return strings.Count(got.stderr, "polls by ") == 2
		}, time.Minute, time.Millisecond)
		type operation struct {
			Kind      string
			Rank, Tag int
			Bytes     int
		}
		var report struct {
			Ranks []struct {
				State string
				Polls struct {
					Call, Function, File string
					Line, More           int
					For                  operation
					Others               []operation
				}
			}
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &report), string(text))
		p := report.Ranks[0].Polls
		require.Equal(t, "running", report.Ranks[0].State)
		require.Equal(t, []any{"test", "main.polls", "main.go"}, []any{p.Call, p.Function, p.File})
		require.Positive(t, p.Line)
		require.Equal(t, operation{"recv", 1, 5, 100}, p.For)
		require.Len(t, p.Others, 4)
		require.Equal(t, 2, p.More)
		for _, o := range p.Others {
			require.Equal(t, operation{"recv", 2, o.Tag, 10}, o)
		}
		require.Equal(t, operation{"probe", 0, 8, 0}, report.Ranks[1].Polls.For)
		require.Equal(t, "iprobe", report.Ranks[1].Polls.Call)
		require.Empty(t, report.Ranks[2].Polls.Call, "it waits")
	}
}

// A program that is correct only thanks to buffers is found.
func TestSynchronousSends(t *testing.T) {
	program, _ := waitCases(t, "right")
	for _, btl := range turn(t, 1) {
		for flags, code := range map[string]int{"--check": 0, "--check --synchronous": 125} {
			args := append(strings.Fields(flags), "--btl", btl, "--deadlock-after", "100ms", "--timeout", "50", "-n",
				"2", program, "right", "buffers")
			got := command(t, nil, args...)
			require.Equal(t, code, got.code, got.stderr)
		}
	}
	got := command(t, nil, "--synchronous", "-n", "1", program, "right", "buffers")
	require.Equal(t, 2, got.code)
	require.Contains(t, got.stderr, "write --check --synchronous")
}

// A time after which pvasrun would look all the time, or one that means another, is refused.
func TestDeadlockAfterIsRefused(t *testing.T) {
	for _, after := range []string{"0", "1ns", "9ms"} {
		got := command(t, nil, "--deadlock-after", after, "true")
		require.Equal(t, 2, got.code, got.stderr)
		require.Regexp(t, `is too early: take 10ms or more, or look for none \(--deadlock off\)\n`, got.stderr)
	}
	require.Equal(t, 0, command(t, nil, "--deadlock-after", "10ms", "true").code)
}
