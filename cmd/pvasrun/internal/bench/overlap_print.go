package bench

import (
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"github.com/docker/go-units"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/internal/lab/bench/overlap"
	"github.com/gopvas/gopvas/internal/lab/bench/report"
)

// overlapReport is what was measured.
type overlapReport struct {
	flags      *overlapFlags
	broadcasts []overlap.Result
	chains     []overlap.ChainResult
	graphs     []overlap.GraphResult
}

// write prints all, and draws what is to be drawn.
func (r *overlapReport) write() error {
	var steps []func() error
	if r.flags.JSON {
		steps = append(steps,
			func() error { return cli.PrintJSON(r.broadcasts) },
			func() error { return cli.PrintJSON(r.chains) },
			func() error { return cli.PrintJSON(r.graphs) })
	} else {
		steps = append(steps, r.printBroadcasts, r.printChains, r.printGraphs)
	}
	if r.flags.Plot != "" {
		steps = append(steps, func() error { return r.flags.plot(r.broadcasts) })
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// overlapCase is what contenders are compared in.
type overlapCase struct{ ranks, bytes, grain int }

// printBroadcasts prints a table per case, and what ours is to the others.
func (r *overlapReport) printBroadcasts() error {
	var order []overlapCase
	cases := map[overlapCase][]overlap.Result{}
	for _, b := range r.broadcasts {
		c := overlapCase{b.Ranks, b.Bytes, b.Grain}
		if cases[c] == nil {
			order = append(order, c)
		}
		cases[c] = append(cases[c], b)
	}
	for _, c := range order {
		fmt.Printf("# Ibcast of %s, %d ranks, %[3]d x %[3]d matrices\n",
			units.BytesSize(float64(c.bytes)), c.ranks, c.grain)
		w := cli.NewTable(os.Stdout)
		fmt.Fprintln(w, "contestant\ttests\tcomputing us\ttime us\talone us\tnot computing %\tOSU %\tIMB %\t")
		for _, b := range cases[c] {
			tests := fmt.Sprint(b.Tests)
			if b.Tests == overlap.EachProduct {
				tests = "each"
			}
			fmt.Fprintf(w, "%v\t%s\t%.1f\t%.1f\t%.1f\t%.1f\t%.0f\t%.0f\t\n", b.Contender, tests, b.Compute, b.Elapsed,
				b.Pure, 100*b.NonCompute, b.OSU, b.IMB)
		}
		if err := w.Flush(); err != nil {
			return err
		}
		if err := printRatios(cases[c]); err != nil {
			return err
		}
	}
	if r.flags.Verbose {
		return r.printExecuted()
	}
	return nil
}

// printRatios prints what ours is to the peers and to the thread per rank, where both
// were measured.
func printRatios(results []overlap.Result) error {
	ours, rivals := rivals(results)
	if len(rivals) == 0 {
		return nil
	}
	w := cli.NewTable(os.Stdout)
	fmt.Fprint(w, "ratio\t")
	for _, rival := range rivals {
		fmt.Fprintf(w, "not computing/%s\ttime (each)/%[1]s\t", rival)
	}
	fmt.Fprintln(w)
	for _, c := range ours {
		fmt.Fprintf(w, "%s\t", c)
		for _, rival := range rivals {
			fmt.Fprintf(w, "%s\t%s\t", cli.OrDash(leastShare(results, c)/leastShare(results, rival)),
				cli.OrDash(eachTime(results, c)/eachTime(results, rival)))
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// rivals divides the contenders into ours and those that ours is compared with.
func rivals(results []overlap.Result) (ours, rivals []string) {
	seen := map[string]bool{}
	for _, r := range results {
		name := r.Contender.String()
		switch {
		case seen[name]:
		case r.Contender.IsPeer() || r.Contender.Helpers == overlap.EveryRank:
			rivals = append(rivals, name)
		default:
			ours = append(ours, name)
		}
		seen[name] = true
	}
	return ours, rivals
}

// leastShare is the least share of CPU time that a contender did not compute, with given
// products per broadcast.
func leastShare(results []overlap.Result, name string) float64 {
	least := math.NaN()
	for _, r := range results {
		if r.Contender.String() == name && r.Tests != overlap.EachProduct && !(r.NonCompute >= least) {
			least = r.NonCompute
		}
	}
	return least
}

// eachTime is the time of a contender's broadcast with a test after each product.
func eachTime(results []overlap.Result, name string) float64 {
	for _, r := range results {
		if r.Contender.String() == name && r.Tests == overlap.EachProduct {
			return r.Elapsed
		}
	}
	return math.NaN()
}

// printExecuted prints who has done the work, in the last job of each contender.
func (r *overlapReport) printExecuted() error {
	fmt.Println("# nodes executed, by rank (of other ranks), in the last round of all broadcasts")
	w := cli.NewTable(os.Stdout)
	var last string
	for _, b := range r.broadcasts {
		name := fmt.Sprintf("%v, %d ranks", b.Contender, b.Ranks)
		if name == last || len(b.Executed) == 0 {
			continue
		}
		last = name
		fmt.Fprintf(w, "%s\t", name)
		for _, e := range b.Executed {
			fmt.Fprintf(w, "%d (%d)\t", e.Nodes, e.Foreign)
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

func (r *overlapReport) printChains() error {
	if len(r.chains) == 0 {
		return nil
	}
	first := r.chains[0]
	fmt.Printf("# %s down a chain of %d ranks that test every %.0f ms\n", units.BytesSize(float64(first.Bytes)),
		first.Ranks, first.Period)
	w := cli.NewTable(os.Stdout)
	fmt.Fprintln(w, "contestant\ttime ms\tleast\tmost\tperiods\t")
	for _, c := range r.chains {
		fmt.Fprintf(w, "%v\t%.2f\t%.2f\t%.2f\t%.2f\t\n", c.Contender, c.Elapsed/1e3, c.Min/1e3, c.Max/1e3, c.Periods)
	}
	return w.Flush()
}

func (r *overlapReport) printGraphs() error {
	if len(r.graphs) == 0 {
		return nil
	}
	fmt.Printf("# graphs of %d nodes that do nothing, per node\n", r.graphs[0].Nodes)
	w := cli.NewTable(os.Stdout)
	fmt.Fprintln(w, "contestant\tshape\tbuild ns\tissue ns\tissue again ns\tMnodes/s\tbytes\t")
	for _, g := range r.graphs {
		fmt.Fprintf(w, "%s %s\t%s\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t\n", g.Contestant, g.Policy, g.Shape, g.Build, g.Issue,
			g.Reissue, g.Rate/1e6, g.Bytes)
	}
	return w.Flush()
}

// plot draws the broadcasts of the first number of ranks.
func (f *overlapFlags) plot(results []overlap.Result) error {
	results = slices.DeleteFunc(slices.Clone(results), func(r overlap.Result) bool {
		return r.Ranks != f.NP[0]
	})
	return cli.WriteNamed(f.Plot, "", 0, func(w io.Writer) error { return report.PlotOverlap(w, results) })
}
