package run

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/gopvas/gopvas/launcher"
	"github.com/gopvas/gopvas/launcher/cluster"
)

// dryRunNodes prints which ranks each node would have, and what would start it.
func (f *Flags) dryRunNodes(ctx context.Context, j launcher.Job) error {
	p, err := cluster.DryRun(ctx, j, f.nodes)
	if err != nil {
		return err
	}
	fmt.Printf("%d ranks on %d nodes\n", countRanks(j.Apps), len(p.Nodes))
	if p.Command != nil {
		fmt.Println("all nodes are started by:", strings.Join(p.Command, " "))
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "node\tranks\tprogram\tstarted by")
	for _, n := range p.Nodes {
		first, command := n.First, strings.Join(n.Command, " ")
		for _, program := range slices.Compact(slices.Clone(n.Programs)) {
			last := first
			for last+1 < n.First+n.Ranks && n.Programs[last+1-n.First] == program {
				last++
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", n.Name, ranksFrom(first, last), program, command)
			first, command = last+1, ""
		}
	}
	return w.Flush()
}

// ranksFrom is "3" or "0-3".
func ranksFrom(first, last int) string {
	if first == last {
		return fmt.Sprint(first)
	}
	return fmt.Sprintf("%d-%d", first, last)
}
