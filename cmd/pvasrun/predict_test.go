package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/median"
)

var (
	predictRounds   = flag.Int("predict.rounds", 0, "how often each program runs, with and without recording by turns; 0: two short ones, once")
	predictFit      = flag.String("predict.fit", "30s", "most time to measure the machine, for each task model")
	predictPrograms = flag.String("predict.programs", "", "folder of the NAS parallel benchmarks in Fortran and C, such as is.W.x, built with mpicc of install-mpi; empty: those in Go only")
	predictClass    = flag.String("predict.class", "W", "class of the NAS parallel benchmarks")
	predictOnly     = flag.String("predict.only", "", "kinds of programs, such as ring,npb; empty: all")
)

// A predictedProgram prints a time of its own.
type predictedProgram struct {
	kind, name string
	flags      []string // of the job
	command    []string
}

// predictedPrograms are those of which nothing is in the fit: other lengths of messages, and other
// programs. They make so many calls that the first ones, which take longer, do not count.
func predictedPrograms(t *testing.T) (list []predictedProgram) {
	loop := programs.Build(t, "./testdata/predicted")
	add := func(kind string, bytes, calls int, flags ...string) {
		list = append(list, predictedProgram{kind, fmt.Sprintf("%s %d", kind, bytes), flags, []string{loop, strings.Fields(kind)[0], strconv.Itoa(bytes), strconv.Itoa(calls)}})
	}
	if *predictRounds == 0 {
		add("pingpong", 1000, 200)
		add("allreduce", 3000, 200)
		return list
	}
	for _, c := range []struct{ bytes, calls int }{{8, 40000}, {1000, 30000}, {3000, 20000}, {12000, 8000}, {100000, 2000}} {
		add("pingpong", c.bytes, c.calls)
		add("ring", c.bytes, c.calls)
	}
	for _, c := range []struct{ bytes, calls int }{{8, 40000}, {3000, 15000}, {50000, 2000}} {
		add("alltoall", c.bytes, c.calls)
		add("alltoall linear", c.bytes, c.calls, "--coll", "alltoall=linear")
		add("allreduce", c.bytes, c.calls)
		add("allreduce doubling", c.bytes, c.calls, "--coll", "allreduce=recursive-doubling")
	}
	gauss := programs.Build(t, "../../examples/gauss")
	for _, n := range []string{"256", "512"} {
		list = append(list, predictedProgram{"gauss", "gauss " + n, nil, []string{gauss, "-n", n, "-verify=false"}})
	}
	for _, kernel := range []string{"is", "cg", "mg", "ft"} {
		list = append(list, predictedProgram{"npb", kernel + "." + *predictClass + " in Go", nil, []string{pvasrun, "bench-rank", "npb", kernel, *predictClass}})
		if *predictPrograms != "" {
			c := filepath.Join(*predictPrograms, kernel+"."+*predictClass+".x")
			list = append(list, predictedProgram{"npb", filepath.Base(c), nil, []string{c}})
		}
	}
	return list
}

// TestPredictions prints how far predictions are from what programs take that are not recorded. It
// does not say how far they may be: that is a matter of what else the machine does. To find out:
//
//	go test ./cmd/pvasrun -run TestPredictions -v -predict.rounds 5
func TestPredictions(t *testing.T) {
	for _, btl := range models(t) {
		t.Run(btl, func(t *testing.T) {
			machine := filepath.Join(t.TempDir(), "machine.json")
			seconds := *predictFit
			if *predictRounds == 0 {
				seconds = "1"
			}
			got := command(t, nil, "model", "fit", "--btl", btl, "--caches", "warm", "--max-seconds", seconds, "-o", machine)
			require.Equal(t, 0, got.code, got.stderr)
			t.Log("\n" + got.stdout)
			m, err := modelMachine(machine)
			require.NoError(t, err)
			require.NotEmpty(t, m.Operations, "collective calls are measured, too")
			messages := filepath.Join(t.TempDir(), "messages.json")
			m.Operations = nil
			require.NoError(t, writeNamed(messages, "", 0, m.Write))
			off := map[string][]float64{}
			var kinds []string
			for _, p := range predictedPrograms(t) {
				if *predictOnly != "" && !slices.Contains(strings.Split(*predictOnly, ","), p.kind) {
					continue
				}
				if off[p.kind] == nil {
					kinds = append(kinds, p.kind)
				}
				off[p.kind] = append(off[p.kind], math.Abs(p.run(t, btl, machine, messages)))
			}
			for _, kind := range kinds {
				t.Logf("%s %-20s median error %.1f %%, worst %.1f %%", btl, kind, median.Of(off[kind]), slices.Max(off[kind]))
			}
		})
	}
}

// run runs the program without and with recording by turns. It returns the error of the prediction of
// the fastest run without, in percent. The machine messages has no operations: collective calls are
// messages, or algorithms.
func (p *predictedProgram) run(t *testing.T, btl, machine, messages string) float64 {
	file := filepath.Join(t.TempDir(), "job.trace")
	job := slices.Concat([]string{"--btl", btl, "--bind", "core", "-n", "2", "--timeout", "100"}, p.flags)
	plain, recorded, predicted, other := math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1)
	for range max(1, *predictRounds) {
		plain = min(plain, p.time(t, slices.Concat(job, p.command)))
		printed := p.time(t, slices.Concat(job, []string{"--trace", file}, p.command))
		recorded = min(recorded, printed)
		is, was := predictionOf(t, file, machine)
		predicted = min(predicted, printed*is/was) // a program prints the time of a part of it
		is, was = predictionOf(t, file, messages)
		other = min(other, printed*is/was)
		require.NoError(t, os.Remove(file))
	}
	e := 100 * (predicted/plain - 1)
	t.Logf("%s %-22s %10.0f us, recorded %+6.1f %%, predicted %+6.1f %%, by messages alone %+6.1f %%", btl, p.name, plain/1e3, 100*(recorded/plain-1), e, 100*(other/plain-1))
	return e
}

// time runs a job and returns the time that it prints, in ns.
func (p *predictedProgram) time(t *testing.T, args []string) float64 {
	got := command(t, nil, args...)
	require.Equal(t, 0, got.code, "%v: %s", args, got.stderr)
	for _, says := range []struct {
		pattern string
		unit    float64 // ns
	}{{`(?m)^(\d+)$`, 1}, {`; ([\d.]+) ms,`, 1e6}, {`"seconds":([\d.e-]+)`, 1e9}, {`Time in seconds = +([\d.]+)`, 1e9}} {
		if found := regexp.MustCompile(says.pattern).FindStringSubmatch(got.stdout); found != nil {
			v, err := strconv.ParseFloat(found[1], 64)
			require.NoError(t, err)
			require.Positive(t, v, got.stdout)
			return v * says.unit
		}
	}
	require.FailNow(t, "a program that prints no time", "%v: %s", args, got.stdout)
	return 0
}

// predictionOf returns how long a recorded job is predicted to take, and how long it took.
func predictionOf(t *testing.T, file, machine string) (is, was float64) {
	got := command(t, nil, "model", "run", "--json", "--machine", machine, file)
	require.Equal(t, 0, got.code, got.stderr)
	var r modelResult
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &r))
	for _, rank := range r.Ranks {
		was = max(was, rank.Measured)
	}
	require.Positive(t, r.Time)
	require.Positive(t, was)
	return r.Time, was
}
