package bench

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/internal/lab/bench/evaluation"
	"github.com/gopvas/gopvas/internal/lab/bench/results"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/machine"
)

// experimentNames is a list of experiments, or empty. Package evaluation parses it.
type experimentNames string

// Items are all of them.
func (experimentNames) Items() []string { return evaluation.ExperimentNames() }

type allFlags struct {
	whoFlags
	Quick  bool            `long:"quick" env:"QUICK" description:"fewer sizes, ranks and repetitions: about three minutes"`
	Output string          `short:"o" long:"output" env:"OUTPUT" value-name:"FILE" default:"results.jsonl" description:"file to append results to; what it has is not measured again"`
	Only   experimentNames `long:"only" env:"ONLY" value-name:"LIST" default-mask:"all" description:"experiments to run, such as pingpong,npb"`
}

// How long a round of one experiment may take before it is given up.
const (
	quickRound = time.Minute
	fullRound  = 45 * time.Minute
)

func executeAll(ctx context.Context, args []string) error {
	var f allFlags
	if err := cli.ParseOnly("pvasrun bench all", &f, args); err != nil {
		return err
	}
	models, err := f.BTL.Here()
	if err != nil {
		return fmt.Errorf("bench all: %w", err)
	}
	peers, closeAll, err := f.peers([]string{job.SingleCopyAuto.String()}, false)
	if err != nil {
		return err
	}
	defer closeAll()
	cfg := evaluation.Config{Quick: f.Quick, BTLs: models, CMA: machine.CMA() == nil, Peers: peers}
	var only []string
	if f.Only != "" {
		only = strings.Split(string(f.Only), ",")
	}
	experiments, err := cfg.Experiments(only)
	if err != nil {
		return cli.Mistake(err)
	}
	now, err := environment(ctx, &cfg)
	if err != nil {
		return err
	}
	journal, err := results.Append(f.Output, now)
	if err != nil {
		return cli.Mistake(err)
	}
	limit := fullRound
	if f.Quick {
		limit = quickRound
	}
	failed, err := runAll(ctx, experiments, journal, limit)
	if closed := journal.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	fmt.Printf("Results are in %[1]s. To look at them: pvasrun bench report %[1]s -o report.html\n", f.Output)
	if failed > 0 {
		return fmt.Errorf("bench all: %d rounds have failed; the same command runs them again", failed)
	}
	return nil
}

// runAll runs the rounds that the journal does not have: first the first of each
// experiment, then the second, so that what changes on the machine meanwhile is spread.
func runAll(ctx context.Context, experiments []evaluation.Experiment, journal *results.Journal,
	limit time.Duration) (failed int, err error) {
	type step struct {
		*evaluation.Experiment
		round int
	}
	var steps []step
	weight := 0
	for round, more := 1, true; more; round++ {
		more = false
		for i := range experiments {
			e := &experiments[i]
			more = more || round < e.Rounds
			if round > e.Rounds || journal.Has(e.Command, round) {
				continue
			}
			steps = append(steps, step{e, round})
			weight += e.Weight
		}
	}
	progress := cli.NewProgress(weight)
	defer progress.Done()
	for _, s := range steps {
		progress.BeginOf(s.Weight, fmt.Sprintf("%s, round %d of %d", s.Name, s.round, s.Rounds))
		line := s.Once(ctx, s.round, limit)
		if ctx.Err() != nil {
			return failed, fmt.Errorf("bench all: %w: the same command goes on from here", context.Cause(ctx))
		}
		if line.Failed != "" {
			failed++
			fmt.Fprintf(os.Stderr, "pvasrun: bench all: %s, round %d: %s\n", s.Name, s.round, line.Failed)
		}
		if err := journal.Add(line); err != nil {
			return failed, err
		}
	}
	return failed, nil
}

// environment is what the numbers depend on.
func environment(ctx context.Context, cfg *evaluation.Config) (results.Environment, error) {
	var system syscall.Sysinfo_t
	if err := syscall.Sysinfo(&system); err != nil {
		return results.Environment{}, fmt.Errorf("sysinfo: %w", err)
	}
	m := machine.Probe()
	e := results.Environment{
		Version: revision(), Go: runtime.Version(), Arch: m.Arch, CPU: m.CPU.Model, CPUs: m.CPU.Usable,
		MemoryMiB: int64(uint64(system.Totalram) * uint64(system.Unit) >> 20),
		Kernel:    m.Kernel, HugePages: m.HugePages.Enabled, CMA: cfg.CMA, Peers: map[string]string{},
		Started: time.Now().UTC().Truncate(time.Second),
		Commit:  commit(), Virtual: m.CPU.Virtual,
	}
	load := float64(system.Loads[0]) / 65536
	e.Load = &load
	for _, p := range cfg.Peers {
		e.Peers[p.Name] = p.Version(ctx)
	}
	return e, nil
}

// revision is the version of the module, or that of the source where it has none.
func revision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	return commit()
}

// commit is that of the source; with what follows a plus, it was changed since.
func commit() (id string) {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return ""
	}
	changed := ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			id = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+changes"
		}
	}
	if id == "" {
		return ""
	}
	return id + changed
}
