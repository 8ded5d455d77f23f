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

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/cmd/pvasrun/internal/model"
	"github.com/gopvas/gopvas/internal/lab/bench/transport"
	"github.com/gopvas/gopvas/internal/lab/median"
	"github.com/gopvas/gopvas/loggps/graph"
	"github.com/gopvas/gopvas/loggps/sim"
)

var (
	predictRounds = flag.Int("predict.rounds", 0,
		"how often the machine is measured and each program runs, by turns; 0: two short ones, once")
	predictFit      = flag.String("predict.fit", "10s", "most time to measure the machine, in each round")
	predictPrograms = flag.String("predict.programs", "",
		"folder of the NAS parallel benchmarks in Fortran and C, such as is.W.x, built with mpicc of install-mpi; "+
			"empty: those in Go only")
	predictClass  = flag.String("predict.class", "W", "class of the NAS parallel benchmarks")
	predictLonger = flag.Int("predict.longer", 1,
		"how many times as many calls loops of one kind of call make: the first milliseconds of a process are "+
			"disturbed by its runtime")
	predictNodes = flag.Int("predict.nodes", 0,
		"network namespaces with a rank each, on which programs run; 0: two ranks on this machine")
	predictRate = flag.Int("predict.rate", 1e9, "bits per second of their links")
	predictOnly = flag.String("predict.only", "", "kinds of programs, such as ring,npb; empty: all")
)

// A predictedProgram prints a time of its own.
type predictedProgram struct {
	kind, name string
	flags      []string // of the job
	command    []string
	loop       bool // it makes calls of one kind, and prints what those of undisturbed blocks take
	times
}

// loopBlock is how many calls a block of such a loop has.
const loopBlock = 32

// times are the results of a program by round, in ns.
type times struct {
	before, after              []float64 // of runs without recording
	recorded, predicted, other []float64
	whole, predictedWhole      []float64 // of a loop, with the blocks that were disturbed
}

// predictedPrograms are those of which nothing is in the fit: other lengths of messages, and other
// programs. They make so many calls that the first ones, which take longer, do not count.
func predictedPrograms(t *testing.T) (list []predictedProgram) {
	loop := programs.Build(t, "./testdata/predicted")
	add := func(kind string, bytes, calls int, flags ...string) {
		calls *= max(1, *predictLonger)
		list = append(list, predictedProgram{kind: kind, name: fmt.Sprintf("%s %d", kind, bytes), flags: flags,
			command: []string{loop, strings.Fields(kind)[0], strconv.Itoa(bytes), strconv.Itoa(calls)}, loop: true})
	}
	if *predictRounds == 0 {
		add("pingpong", 1000, 200)
		add("allreduce", 3000, 200)
		return list
	}
	for _, c := range []struct{ bytes, calls int }{{8, 40000}, {1000, 30000}, {3000, 20000},
		{12000, 8000}, {100000, 2000}} {
		add("pingpong", c.bytes, c.calls)
		add("ring", c.bytes, c.calls)
	}
	for _, c := range []struct{ bytes, calls int }{{8, 40000}, {3000, 15000}, {3500, 15000},
		{40000, 3000}, {50000, 2000}} {
		add("alltoall", c.bytes, c.calls)
		add("alltoall linear", c.bytes, c.calls, "--coll", "alltoall=linear")
		add("allreduce", c.bytes, c.calls)
		add("allreduce doubling", c.bytes, c.calls, "--coll", "allreduce=recursive-doubling")
	}
	gauss := programs.Build(t, "../../examples/gauss")
	for _, n := range []string{"256", "512"} {
		list = append(list, predictedProgram{kind: "gauss", name: "gauss " + n,
			command: []string{gauss, "-n", n, "-verify=false"}})
	}
	for _, kernel := range []string{"is", "cg", "mg", "ft"} {
		list = append(list, predictedProgram{kind: "npb", name: kernel + "." + *predictClass + " in Go",
			command: []string{pvasrun, "bench-rank", "npb", kernel, *predictClass}})
		if *predictPrograms != "" {
			c := filepath.Join(*predictPrograms, kernel+"."+*predictClass+".x")
			list = append(list, predictedProgram{kind: "npb", name: filepath.Base(c), command: []string{c}})
		}
	}
	return list
}

// TestPredictions prints how far predictions are from what programs take that are not recorded. It
// does not say how far they may be: that is a matter of what else the machine does. A machine whose
// speed moves is not the same when it is measured and when a program runs. So both take turns, and
// medians are compared. Beside each error stands the floor: how far the medians of two halves of the
// runs without recording are apart, and how far half of these runs are from their median: what one more run
// of the program would be off, at whatever distance of the CPUs. To find out:
//
//	go test ./cmd/pvasrun -run TestPredictions -v -predict.rounds 5
//	go test ./cmd/pvasrun -run TestPredictions -v -predict.rounds 5 -predict.nodes 2
func TestPredictions(t *testing.T) {
	for _, btl := range turn(t, 0) {
		t.Run(btl, func(t *testing.T) {
			list := slices.DeleteFunc(predictedPrograms(t), func(p predictedProgram) bool {
				return *predictOnly != "" && !slices.Contains(strings.Split(*predictOnly, ","), p.kind)
			})
			where := predictedOn(t)
			for range max(1, *predictRounds) {
				machine := measuredMachine(t, btl, where)
				for i := range list {
					list[i].run(t, btl, machine, where)
				}
			}
			tellErrors(t, btl, list)
		})
	}
}

// machineHere is a measured machine. messages is the same one without operations: collective calls
// are messages, or algorithms.
type machineHere struct {
	machine, messages string
	distance          float64 // of the CPUs, ns: see loggps.Link
}

// predictedOn are the flags that name the nodes of -predict.nodes, nil if there are none.
func predictedOn(t *testing.T) []string {
	if *predictNodes == 0 {
		return nil
	}
	c, err := transport.NewCluster(t.Context(), *predictNodes,
		transport.Links{Rate: *predictRate, Buffer: 64 << 10, Pin: true})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return nodesOf(t, c)
}

// nodesOf are the flags that name the nodes of a cluster, the first ones with so many slots.
func nodesOf(t *testing.T, c *transport.Cluster, slots ...int) []string {
	script := "#!/bin/sh\nexec"
	for _, word := range c.Shell() {
		script += " '" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	shell := filepath.Join(t.TempDir(), "shell")
	require.NoError(t, os.WriteFile(shell, []byte(script+" \"$@\"\n"), 0o700))
	var hosts []string
	for i := range c.Nodes() {
		host := c.Address(i).String()
		if i < len(slots) {
			host += fmt.Sprintf(":%d", slots[i])
		}
		hosts = append(hosts, host)
	}
	return []string{"--hosts", strings.Join(hosts, ","), "--rsh", shell, "--devices", "eth0"}
}

func measuredMachine(t *testing.T, btl string, where []string) (is machineHere) {
	dir, seconds := t.TempDir(), *predictFit
	if *predictRounds == 0 {
		seconds = "1"
	}
	is.machine, is.messages = filepath.Join(dir, "machine.json"), filepath.Join(dir, "messages.json")
	got := command(t, nil, append([]string{"model", "fit", "--btl", btl, "--caches", "warm", "--max-seconds", seconds,
		"-o", is.machine}, where...)...)
	require.Equal(t, 0, got.code, got.stderr)
	m, err := model.ReadMachine(is.machine)
	require.NoError(t, err)
	require.NotEmpty(t, m.Operations, "collective calls are measured, too")
	m.Operations = nil
	require.NoError(t, cli.WriteNamed(is.messages, "", 0, m.Write))
	is.distance = m.Links[0].Distance
	return is
}

// run runs the program without recording, with it, and without. Nodes are bound, and have no distance.
func (p *predictedProgram) run(t *testing.T, btl string, m machineHere, where []string) {
	file := filepath.Join(t.TempDir(), "job.trace")
	ranks := []string{"--bind", "core", "-n", "2"}
	if where != nil {
		ranks = slices.Concat(where, []string{"-n", fmt.Sprint(*predictNodes)})
	}
	job := slices.Concat([]string{"--btl", btl, "--timeout", "100"}, ranks, p.flags)
	plain := slices.Concat(job, p.command)
	here := plain
	if p.loop && where == nil {
		here = append(slices.Clone(plain), fmt.Sprint(m.distance))
	}
	before, all := p.time(t, here)
	p.before, p.whole = append(p.before, before), append(p.whole, all)
	printed, _ := p.time(t, slices.Concat(job, []string{"--trace", file}, p.command))
	after, all := p.time(t, here)
	p.after, p.whole = append(p.after, after), append(p.whole, all)
	p.recorded = append(p.recorded, printed)
	is, all := p.predict(t, file, m.machine, printed)
	p.predicted, p.predictedWhole = append(p.predicted, is), append(p.predictedWhole, all)
	is, _ = p.predict(t, file, m.messages, printed)
	p.other = append(p.other, is)
	require.NoError(t, os.Remove(file))
}

// tellErrors prints the errors in percent, of each program and by kind.
func tellErrors(t *testing.T, btl string, list []predictedProgram) {
	off, floors, runs := map[string][]float64{}, map[string][]float64{}, map[string][]float64{}
	var kinds []string
	for _, p := range list {
		all := slices.Concat(p.before, p.after)
		plain, run := median.Of(all), scatter(all) // all: first those before, in turn
		off1 := func(of []float64) float64 { return 100 * (median.Of(ratios(of, all)) - 1) }
		e, floor := off1(p.predicted), 100*math.Abs(median.Of(ratios(p.before, p.after))-1)
		blocks := ""
		if p.loop {
			blocks = fmt.Sprintf("; all blocks %.0f us, predicted %+.1f %%", median.Of(p.whole)/1e3,
				100*(median.Of(ratios(p.predictedWhole, p.whole))-1))
		}
		t.Logf("%s %-22s %10.0f us, predicted %+6.1f %% (floor %4.1f %%, a run %4.1f %%), by messages alone %+6.1f "+
			"%%, recorded %+6.1f %%%s", btl, p.name, plain/1e3, e, floor, run, off1(p.other), off1(p.recorded), blocks)
		if off[p.kind] == nil {
			kinds = append(kinds, p.kind)
		}
		off[p.kind], floors[p.kind] = append(off[p.kind], math.Abs(e)), append(floors[p.kind], floor)
		runs[p.kind] = append(runs[p.kind], run)
	}
	for _, kind := range kinds {
		t.Logf("%s %-20s error: median %.1f %%, worst %.1f %%; floor: median %.1f %%, worst %.1f %%; a run: median "+
			"%.1f %%, worst %.1f %%", btl, kind, median.Of(off[kind]), slices.Max(off[kind]), median.Of(floors[kind]),
			slices.Max(floors[kind]), median.Of(runs[kind]), slices.Max(runs[kind]))
	}
}

// ratios compares by round, as each round has a machine of its own: the distance of the CPUs may differ. of has
// a time for each round; with has one or two of them, all first ones before all second ones.
func ratios(of, with []float64) (list []float64) {
	for i, ns := range of {
		sum, n := 0.0, 0.0
		for k := i; k < len(with); k += len(of) {
			sum, n = sum+with[k], n+1
		}
		list = append(list, ns*n/sum)
	}
	return list
}

// scatter is how far half of the runs are from their median, in percent.
func scatter(runs []float64) float64 {
	var off []float64
	for _, ns := range runs {
		off = append(off, 100*math.Abs(ns/median.Of(runs)-1))
	}
	return median.Of(off)
}

// predict returns the predicted time of what a recorded job printed the time of. Of a loop that is the time of the same
// blocks as it printed, and whole is that of all of its blocks. Of other programs it is the same share of the
// predicted time as of the recorded one.
func (p *predictedProgram) predict(t *testing.T, file, machine string, printed float64) (ns, whole float64) {
	if !p.loop {
		is, was := predictionOf(t, file, machine)
		return printed * is / was, 0
	}
	flags := &model.SimFlags{Machine: machine, Model: "loggps", Compute: 1}
	opt, err := flags.Options()
	require.NoError(t, err)
	job, err := model.ReadProgram(file, &opt.Machine)
	require.NoError(t, err)
	require.NoError(t, flags.Prepare(&opt, job))
	r, err := model.Simulate(job, opt)
	require.NoError(t, err)
	calls, err := strconv.Atoi(p.command[len(p.command)-1])
	require.NoError(t, err)
	blocks := predictedBlocks(t, job, r, max(calls/loopBlock, 1))
	for _, ns := range blocks {
		whole += ns
	}
	slices.Sort(blocks)
	return blocks[(len(blocks)-1)/4] * float64(len(blocks)), whole
}

// predictedBlocks returns what the blocks of a loop take in a simulation. Each call becomes as many
// operations of rank 0 as any other, but for computations.
func predictedBlocks(t *testing.T, job *model.Program, r *sim.Result, blocks int) []float64 {
	var ends []float64
	first := 0.0
	ops := job.Graph.Of(0)
	for id := ops.First; id < ops.End; id++ {
		switch name := job.Place(id); {
		case job.Graph.Op(id).Kind == graph.Calc:
		case strings.HasPrefix(name, "barrier "):
			first = r.End(id)
		default:
			ends = append(ends, r.End(id))
		}
	}
	require.NotEmpty(t, ends)
	require.Zero(t, len(ends)%(blocks*loopBlock), "%d operations of %d blocks", len(ends), blocks)
	list := make([]float64, blocks)
	for i := range list {
		end := ends[len(ends)/blocks*(i+1)-1]
		list[i], first = end-first, end
	}
	return list
}

// time runs a job and returns the time that it prints, in ns, and of a loop the time of all blocks.
func (p *predictedProgram) time(t *testing.T, args []string) (ns, whole float64) {
	var got finished
	tries := 60 // until the CPUs are as when the machine was measured
	if *predictRounds == 0 {
		tries = 1
	}
	for try := 0; try == 0 || p.loop && got.stdout == "" && try <= tries; try++ {
		if try == tries {
			t.Logf("%s: the CPUs are not at that distance any more: it runs at another one", p.name)
			args = args[:len(args)-1]
		}
		got = command(t, nil, args...)
		require.Equal(t, 0, got.code, "%v: %s", args, got.stderr)
	}
	for _, says := range []struct {
		pattern string
		unit    float64 // ns
	}{{`(?m)^(\d+) (\d+)$`, 1}, {`; ([\d.]+) ms,`, 1e6}, {`"seconds":([\d.e-]+)`, 1e9},
		{`Time in seconds = +([\d.]+)`, 1e9}} {
		if found := regexp.MustCompile(says.pattern).FindStringSubmatch(got.stdout); found != nil {
			v, err := strconv.ParseFloat(found[1], 64)
			require.NoError(t, err)
			require.Positive(t, v, got.stdout)
			if p.loop {
				whole, err = strconv.ParseFloat(found[2], 64)
				require.NoError(t, err)
			}
			return v * says.unit, whole
		}
	}
	require.FailNow(t, "a program that prints no time", "%v: %s", args, got.stdout)
	return 0, 0
}

// predictionOf returns how long a recorded job is predicted to take, and how long it took.
func predictionOf(t *testing.T, file, machine string) (is, was float64) {
	got := command(t, nil, "model", "run", "--json", "--machine", machine, file)
	require.Equal(t, 0, got.code, got.stderr)
	var r model.Result
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &r))
	for _, rank := range r.Ranks {
		was = max(was, rank.Measured)
	}
	require.Positive(t, r.Time)
	require.Positive(t, was)
	return r.Time, was
}
