package run

import (
	"context"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/gopvas/gopvas/launcher"
	"github.com/gopvas/gopvas/pvas"
)

// dryRun prints where the ranks would lie.
func dryRun(ctx context.Context, j launcher.Job) error {
	plan, err := launcher.DryRun(ctx, j)
	if err != nil {
		return err
	}
	fmt.Printf("btl %s, %d ranks\n", plan.BTL, len(plan.Ranks))
	if plan.Reason != "" {
		fmt.Println("not in one address space:", plan.Reason)
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "rank\tpartition\tstack\tsmall region\timage\tinterpreter\tarena\tcpus\tprogram")
	for _, r := range plan.Ranks {
		partition, stack, small, image, interp, arena := "own process", "-", "-", "-", "-", "-"
		if l := r.Layout; l != nil {
			partition = fmt.Sprintf("%#x + %d MiB", l.Base, l.Size>>20)
			stack, small, image, interp, arena = span(l.Stack), span(l.SmallRegion), span(l.Image),
				span(l.Interp), span(l.Arena)
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.Rank, partition, stack, small, image, interp, arena,
			strings.Trim(fmt.Sprint(r.CPUs), "[]"), strings.Join(r.Args, " "))
	}
	return w.Flush()
}

// span prints a range of addresses with its length in KiB.
func span(r pvas.Range) string {
	if r.Len() == 0 {
		return "-"
	}
	return fmt.Sprintf("%#x + %d KiB", r.Start, r.Len()>>10)
}
