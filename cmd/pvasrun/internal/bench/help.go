package bench

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
)

// aboutBenchmarks says in a line what each benchmark is for.
var aboutBenchmarks = map[string]string{
	"touch":          "page tables: one address space against processes",
	"footprint":      "page tables and memory of an all-to-all over the ranks",
	"npb":            "NAS Parallel Benchmarks: is, ep, cg, mg, ft",
	"overlap":        "computing while nonblocking collectives go on",
	"suci":           "the transport between nodes, beside TCP, over network namespaces",
	"exchange":       "messages to neighbors through several network devices",
	"all":            "every experiment of the paper, into a file of results",
	"report":         "a page with plots from a file of results",
	"diff":           "what differs between two files of results",
	"pingpong":       "half a round trip of a message between two ranks",
	"pingping":       "a message each way at the same time",
	"bw":             "bytes per second with many messages under way",
	"mbw_mr":         "messages per second of all pairs",
	"ring":           "a message around all ranks",
	"incast":         "a message from all other ranks to one, at once",
	"copy":           "a copy from a peer's memory, without a message",
	"column":         "columns of a matrix to columns of another",
	"struct":         "records with gaps to records with gaps",
	"halo":           "columns of a grid to both neighbours in a ring",
	"transpose":      "a matrix spread over the ranks, by Alltoallw",
	"barrier":        "Barrier",
	"bcast":          "Bcast",
	"gather":         "Gather",
	"scatter":        "Scatter",
	"reduce":         "Reduce",
	"allreduce":      "Allreduce",
	"reduce_scatter": "ReduceScatter",
	"allgather":      "Allgather",
	"alltoall":       "Alltoall",
	"neighbor":       "NeighborAlltoall in a periodic ring",
	"ibarrier":       "Ibarrier, and Wait at once",
	"ibcast":         "Ibcast, and Wait at once",
	"iallreduce":     "Iallreduce, and Wait at once",
	"ialltoall":      "Ialltoall, and Wait at once",
}

const benchUsage = `Usage:
  pvasrun bench NAME [flags]

Runs a benchmark. Each one has flags and a help of its own: pvasrun bench NAME --help.

Benchmarks:
`

// printBenchmarks prints the help of bench.
func printBenchmarks(w io.Writer, names []string) error {
	fmt.Fprint(w, benchUsage)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, name := range names {
		fmt.Fprintf(t, "  %s\t%s\n", name, aboutBenchmarks[name])
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return cli.PrintExamples(w, "pvasrun bench")
}
