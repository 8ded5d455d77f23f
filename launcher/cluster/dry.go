package cluster

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/gopvas/gopvas/launcher"
)

// A NodePlan is the part of a node in a job on several.
type NodePlan struct {
	Name     string
	Ranks    []int    // their numbers, ascending
	Programs []string // as the user gave them, with their arguments, one for each of these ranks
	Command  []string // that would start it; nil: Plan's starts all nodes
}

// A Plan is the plan of Run.
type Plan struct {
	Nodes   []NodePlan
	Command []string // that would start all nodes; nil: each has its own
}

// DryRun finds and builds the programs of a job, and says which ranks each node would have
// and the command that would start it. It starts nothing. Errors are those of Run.
func DryRun(ctx context.Context, j launcher.Job, n Nodes) (*Plan, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("launcher: %w", err)
	}
	l, err := newLeader(ctx, &j, n)
	if err != nil {
		return nil, err
	}
	defer l.close()
	p := &Plan{}
	var names []string
	for _, a := range l.agents {
		one := NodePlan{Name: a.name, Ranks: a.ranks}
		for _, rank := range a.ranks {
			app := l.apps[rank]
			one.Programs = append(one.Programs, strings.Join(append([]string{app.Program}, app.Args...), " "))
		}
		if !n.Slurm {
			one.Command = n.command(a.name, self)
		}
		names = append(names, a.name)
		p.Nodes = append(p.Nodes, one)
	}
	if n.Slurm {
		p.Command = stepCommand(names, self)
	}
	return p, nil
}
