package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/gopvas/gopvas/mpi"
)

// printStats prints what the messages of each rank have cost, and the sum.
func printStats(w io.Writer, ranks []mpi.Statistics) error {
	fmt.Fprintln(w, "messages sent, by path (messages/bytes), and what they have cost; a rank that ended early shows what it published last")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "rank\tinline\teager\trendezvous\tself\treceived direct\tcma\tpipelined\tcopies\tunexpected\tmost\tqueued\tsleeps\twakes\t")
	var sum mpi.Statistics
	for rank, s := range ranks {
		statsRow(t, fmt.Sprint(rank), s)
		sum = sum.Plus(s)
	}
	if len(ranks) > 1 {
		statsRow(t, "all", sum)
	}
	return t.Flush()
}

func statsRow(w io.Writer, name string, s mpi.Statistics) {
	path := func(p mpi.Path) string { return fmt.Sprintf("%d/%d", p.Messages, p.Bytes) }
	fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t\n", name,
		path(s.Inline), path(s.Eager), path(s.Rendezvous), path(s.Self), path(s.Direct), path(s.CMA), path(s.Pipelined),
		s.Copies, s.Unexpected, s.UnexpectedHigh, s.Queued, s.Sleeps, s.Wakes)
}
