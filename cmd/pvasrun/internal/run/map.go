package run

import (
	"context"
	"fmt"
	"os"
	"text/tabwriter"

	"github.com/gopvas/gopvas/internal/node/topology"
	"github.com/gopvas/gopvas/launcher"
)

// displayMap says on which CPUs of this node each rank will run.
func displayMap(ctx context.Context, j launcher.Job) error {
	plan, err := launcher.DryRun(ctx, j)
	if err != nil {
		return err
	}
	name, err := os.Hostname()
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(os.Stderr, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "rank\tnode\tcpus\tprogram")
	for _, r := range plan.Ranks {
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\n", r.Rank, name, topology.FormatList(r.CPUs), r.Program)
	}
	return w.Flush()
}
