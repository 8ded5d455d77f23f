package run

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/cmd/pvasrun/internal/recording"
	"github.com/gopvas/gopvas/launcher"
	"github.com/gopvas/gopvas/launcher/cluster"
)

// ExecuteNode is what runs on each node of a job; --hosts starts it, or srun for all nodes.
func ExecuteNode(args []string) error {
	if len(args) == 1 && args[0] == "join" {
		return cli.ExitStatus(cluster.JoinMain(instruments))
	}
	return cli.ExitStatus(cluster.NodeMain(instruments))
}

// runNodes runs a job on several nodes.
func (f *Flags) runNodes(ctx context.Context, j launcher.Job) error {
	if f.DryRun && f.PMI {
		return cli.Mistake(errors.New(
			"--pmi with --dry-run: the PMI launcher has chosen the nodes and started them; leave one of them out"))
	}
	if f.DryRun {
		return f.dryRunNodes(ctx, j, os.Stdout)
	}
	if f.DisplayMap && !f.PMI {
		if err := f.dryRunNodes(ctx, j, os.Stderr); err != nil {
			return err
		}
	}
	if f.Trace != "" && !f.PMI { // then another process may lead, on another node
		if err := recording.Traceable(f.Trace); err != nil {
			return cli.Mistake(fmt.Errorf("--trace: %w", err))
		}
	}
	signals, stop := cli.JobSignals()
	defer stop()
	j.Signals = signals
	var stats statistics
	j.Finished = stats.collect
	run := cluster.Run
	if f.PMI {
		run = cluster.RunPMI
	}
	seen := f.instrument(&j)
	result, err := run(ctx, j, f.nodes)
	seen.end()
	if result == nil || err != nil { // it could not run, or another process leads
		return err
	}
	err = errors.Join(seen.print(os.Stderr), f.printStats(&stats, result.Nodes))
	if result.Code != 0 {
		return cli.ExitStatus(result.Code)
	}
	return err
}
