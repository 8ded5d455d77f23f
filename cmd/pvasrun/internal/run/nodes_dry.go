package run

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/gopvas/gopvas/launcher"
	"github.com/gopvas/gopvas/launcher/cluster"
)

// dryRunNodes prints which ranks each node would have, and what would start it.
func (f *Flags) dryRunNodes(ctx context.Context, j launcher.Job, to io.Writer) error {
	p, err := cluster.DryRun(ctx, j, f.nodes)
	if err != nil {
		return err
	}
	fmt.Fprintf(to, "%d ranks on %d nodes\n", countRanks(j.Apps), len(p.Nodes))
	if p.Command != nil {
		fmt.Fprintln(to, "all nodes are started by:", strings.Join(p.Command, " "))
	}
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "node\tranks\tprogram\tstarted by")
	for _, n := range p.Nodes {
		command := strings.Join(n.Command, " ")
		for i := 0; i < len(n.Ranks); {
			end := i + 1
			for end < len(n.Ranks) && n.Programs[end] == n.Programs[i] {
				end++
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", n.Name, listRanks(n.Ranks[i:end]), n.Programs[i], command)
			i, command = end, ""
		}
	}
	return w.Flush()
}

// listRanks is "3", "0-3", or "0,2,4".
func listRanks(ranks []int) string {
	first, last := ranks[0], ranks[len(ranks)-1]
	switch {
	case first == last:
		return fmt.Sprint(first)
	case last-first == len(ranks)-1:
		return fmt.Sprintf("%d-%d", first, last)
	}
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(ranks), " ", ","), "[]")
}
