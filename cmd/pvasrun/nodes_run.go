package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/gopvas/gopvas/launcher"
)

// executeNode is what runs on each node of a job; --hosts starts it, or srun for all nodes.
func executeNode(args []string) error {
	if len(args) == 1 && args[0] == "join" {
		return exitStatus(launcher.JoinMain(instruments))
	}
	return exitStatus(launcher.NodeMain(instruments))
}

// runNodes runs a job on several nodes.
func (f *runFlags) runNodes(ctx context.Context, j launcher.Job) error {
	if f.DryRun && f.PMI {
		return mistake(errors.New(
			"--pmi with --dry-run: the PMI launcher has chosen the nodes and started them; leave one of them out"))
	}
	if f.DryRun {
		return f.dryRunNodes(ctx, j)
	}
	if f.Trace != "" && !f.PMI { // then another process may lead, on another node
		if err := traceable(f.Trace); err != nil {
			return mistake(fmt.Errorf("--trace: %w", err))
		}
	}
	signals, stop := launcher.ForwardedSignals()
	defer stop()
	j.Signals = signals
	var stats statistics
	j.Finished = stats.collect
	run := launcher.RunNodes
	if f.PMI {
		run = launcher.RunPMI
	}
	seen := f.instrument(&j)
	result, err := run(ctx, j, f.nodes)
	seen.end()
	if result == nil || err != nil { // it could not run, or another process leads
		return err
	}
	err = errors.Join(seen.print(os.Stderr), f.printStats(&stats, result.Nodes))
	if result.Code != 0 {
		return exitStatus(result.Code)
	}
	return err
}
