package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/cmd/pvasrun/internal/options"
	"github.com/gopvas/gopvas/cmd/pvasrun/internal/recording"
	"github.com/gopvas/gopvas/internal/lab/bench/meter"
	"github.com/gopvas/gopvas/internal/node/atomicfile"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/launcher"
	"github.com/gopvas/gopvas/launcher/cluster"
	"github.com/gopvas/gopvas/pvas"
)

// Execute is the command line of a job.
func Execute(args []string) error {
	f := Flags{appFlags: appFlags{NP: cli.NotGiven}}
	f.Version = func() {
		_, err := fmt.Println("pvasrun", cli.Version())
		if err != nil {
			fmt.Fprintln(os.Stderr, "pvasrun:", err)
		}
		os.Exit(launcher.ExitCode(err))
	}
	if !cli.Completing() {
		var err error
		if args, err = translate(args); err != nil {
			return cli.Mistake(err)
		}
	} else if err := offer(args); err != nil {
		return err
	}
	args, err := cli.Parse("pvasrun", usage, &f, args, options.Names()...)
	if err != nil {
		return err
	}
	if err := f.useCPUs(); err != nil {
		return cli.Mistake(err)
	}
	if err := f.findNodes(); err != nil {
		return cli.Mistake(err)
	}
	if err := f.takeTimeout(os.Getenv(theirTimeout)); err != nil {
		return cli.Mistake(err)
	}
	apps, err := f.Apps(args)
	if err != nil {
		return err
	}
	return f.run(context.Background(), apps)
}

// run runs a job to its end; a rank's failure, which the launcher has explained,
// becomes a cli.ExitStatus.
func (f *Flags) run(ctx context.Context, apps []launcher.App) (err error) {
	settings, err := f.settings()
	if err != nil {
		return cli.Mistake(err)
	}
	if err := cmp.Or(f.checkRanks(countRanks(apps), settings.Helpers),
		errors.Join(f.checkOutput(), f.checkReportHang())); err != nil {
		return cli.Mistake(err)
	}
	if f.nodes.Hosts == nil && !f.PMI {
		f.tellHere(countRanks(apps))
	}
	j := f.job(apps, settings)
	if names := parametersOf(os.Environ()); names != nil && j.Log != nil {
		j.Log("ignored: %s (pvasrun has no MCA parameters)", strings.Join(names, ", "))
	}
	if err := f.takeProfile(&j); err != nil {
		return cli.Mistake(err)
	}
	if settings.Survive && (f.PMI || f.nodes.Hosts != nil) {
		return cli.Mistake(errors.New("--survive: ranks survive the failure of others on one node only, so far: " +
			"leave the nodes out, or --survive"))
	}
	if f.PMI {
		if len(apps) > 1 {
			return cli.Mistake(errors.New("--pmi: one program for all ranks; several programs need --hosts"))
		}
		return f.runNodes(ctx, j)
	}
	if f.nodes.Hosts != nil {
		if err := f.nodes.Check(countRanks(apps)); err != nil {
			return cli.Mistake(err)
		}
		return f.runNodes(ctx, j)
	}
	if f.DryRun {
		return dryRun(ctx, j)
	}
	return f.runHere(ctx, j)
}

// runHere runs a job on this node.
func (f *Flags) runHere(ctx context.Context, j launcher.Job) (err error) {
	if f.DisplayMap {
		if err := displayMap(ctx, j); err != nil {
			return err
		}
	}
	f.sayOldOutput(countRanks(j.Apps))
	signals, stop := cli.JobSignals()
	defer stop()
	j.Signals = signals
	var gauge *meter.Meter
	if f.Report == "pagetable" {
		if gauge, err = meter.NewMeter(); err != nil {
			return err
		}
		gauge.Attach(&j)
	}
	var stats statistics
	j.Finished = stats.collect
	tracing, err := recording.AttachTrace(f.Trace, &j)
	if err != nil {
		return cli.Mistake(fmt.Errorf("--trace: %w", err))
	}
	result, err := launcher.Run(ctx, j)
	tracing.End()
	if err != nil {
		return err
	}
	if gauge != nil {
		err = printReport(os.Stderr, gauge)
	}
	err = errors.Join(err, f.printStats(&stats, nil))
	if result.Code != 0 {
		return cli.ExitStatus(result.Code)
	}
	return err
}

// theirTimeout is the variable that the launchers of MPICH and Open MPI take a time limit from.
const theirTimeout = "MPIEXEC_TIMEOUT"

// takeTimeout takes a time limit of that variable, unless --timeout says another.
func (f *Flags) takeTimeout(value string) error {
	if value == "" || value == "-1" || f.Timeout != nil { // -1 stands for no limit there
		return nil
	}
	f.Timeout = new(cli.Lapse)
	if err := f.Timeout.UnmarshalFlag(value); err != nil {
		return fmt.Errorf("%s: %w", theirTimeout, err)
	}
	return nil
}

// checkReportHang returns an error if the file of --report-hang cannot be written at the end, or is another output of
// the job. Under a PMI launcher each node has its own files, and one of them writes.
func (f *Flags) checkReportHang() error {
	file := f.ReportHang
	if file == "" || f.PMI || f.DryRun {
		return nil
	}
	if inOutputDir(file, f.OutputDir) {
		return fmt.Errorf("--report-hang %s: the output of a rank goes to that file of --output-dir: name another file",
			file)
	}
	if err := cli.Apart([]cli.Named{{By: "--trace", File: f.Trace}, {By: "--report-hang", File: file}}); err != nil {
		return err
	}
	if err := errors.Join(cli.HangReport.Replaceable(file), atomicfile.Probe(file)); err != nil {
		return fmt.Errorf("--report-hang: %w: name a file that you may write", err)
	}
	return nil
}

// checkRanks returns an error if a job cannot have so many ranks, or these helpers.
func (f *Flags) checkRanks(ranks, helpers int) error {
	need := ranks * max(1, f.cpusPerRank())
	single := f.NoOversub || f.MapBy.single
	switch {
	case single && f.nodes.Hosts != nil && ranks > cluster.Slots(f.nodes.Hosts):
		return fmt.Errorf("--no-oversubscribe: the job has %d ranks, for %d slots of its nodes: give each node its "+
			"number (node1:4), start fewer ranks, or leave the flag out", ranks, cluster.Slots(f.nodes.Hosts))
	case single && f.nodes.Hosts == nil && need > cpus():
		return fmt.Errorf("--no-oversubscribe: the job has %d ranks, for %d CPUs, and may use %d: start fewer ranks, "+
			"or leave the flag out", ranks, need, cpus())
	case helpers > ranks:
		return fmt.Errorf("--helpers %d: there are %d ranks, and a rank has one at most", helpers, ranks)
	case f.Stdin.Rank >= ranks:
		return fmt.Errorf("--stdin %d: the ranks of the job are 0 to %d", f.Stdin.Rank, ranks-1)
	case f.Universe > 0 && (f.Universe < uint(ranks) || f.Universe > job.MaxRanks):
		return fmt.Errorf("--universe %d: it is the number of all ranks, from the %d of the job to %d", f.Universe,
			ranks, job.MaxRanks)
	case ranks > job.MaxRanks:
		return fmt.Errorf("-n: %d ranks: a job has at most %d in all", ranks, job.MaxRanks)
	}
	for _, flag := range []struct {
		name string
		err  error
	}{
		{"--partition-size", pvas.CheckPartitions(ranks, uint64(f.PartitionSize))},
		{"--stack-size", launcher.CheckStackSize(uint64(f.StackSize))},
		{"--deadlock-after", launcher.CheckDeadlockAfter(time.Duration(f.DeadlockAfter))},
	} {
		if flag.err != nil {
			return fmt.Errorf("%s: %w", flag.name, flag.err)
		}
	}
	return nil
}

// cpusPerRank returns how many cores each rank is to have, 0 if nobody has said.
func (f *Flags) cpusPerRank() int {
	if f.CPUsPerRank > 0 {
		return int(f.CPUsPerRank)
	}
	return f.MapBy.cpus
}

func (f *Flags) binding(ranks int) launcher.Binding {
	b := f.Bind.Binding
	if f.MapBy.by != "" {
		b.Each = f.MapBy.each
	}
	if b.By, b.CPUs = f.MapBy.by, f.cpusPerRank(); b.CPUs == 0 {
		b.CPUs = f.cpusOfTask(ranks, os.Getenv)
		b.Allotted = b.CPUs > 0
	}
	return b
}

// job is what the flags say of the job.
func (f *Flags) job(apps []launcher.App, settings job.Settings) launcher.Job {
	var limit cli.Lapse
	if f.Timeout != nil {
		limit = *f.Timeout
	}
	j := launcher.Job{
		Apps:           apps,
		BTL:            f.BTL,
		Settings:       settings,
		Strict:         f.Survive == surviveStrict,
		PartitionSize:  uint64(f.PartitionSize),
		StackSize:      uint64(f.StackSize),
		Universe:       int(min(f.Universe, job.MaxRanks+1)),
		HugePages:      job.HugePages(f.HugePages),
		Bind:           f.binding(countRanks(apps)),
		ReportBindings: f.ReportBindings,
		Stdin:          os.Stdin,
		StdinTo:        f.Stdin.Rank,
		Stdout:         os.Stdout,
		Stderr:         os.Stderr,
		Output:         f.output(),
		Timeout:        time.Duration(limit),
		Deadlock:       launcher.Deadlock(f.Deadlock),
		DeadlockAfter:  time.Duration(f.DeadlockAfter),
		HangFile:       f.ReportHang,
		Log:            cli.Logger(f.Verbose),
	}
	if f.Stdin.None {
		j.Stdin = nil
	}
	return j
}
