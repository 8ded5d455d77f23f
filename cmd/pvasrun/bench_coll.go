package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"text/tabwriter"

	"github.com/gopvas/gopvas/bench"
)

const collDescription = `Times one call of a collective operation by all ranks, over many calls with nothing in between; the root changes from call to call. Bytes are those of the vector, or for allgather, alltoall and neighbor (a periodic ring) those from one rank to another. Loops and repetitions follow IMB, and are the same in C for the MPIs of --compare, for which ratio is our first column to the better of them. PVAS_COLL chooses algorithms.`

func executeColl(benchmark string, args []string) error {
	f := p2pFlags{}
	for n := 8; n <= 1<<20; n *= 8 {
		f.Sizes = append(f.Sizes, n)
	}
	f.Sizes = append(f.Sizes, 1<<20)
	if err := parseOnly("pvasrun bench "+benchmark, collDescription, &f, args); err != nil {
		return err
	}
	if f.NP < 1 {
		return usageError{errors.New("-n: at least one rank is needed")}
	}
	ctx := context.Background()
	contenders, closeAll, err := f.contenders(ctx)
	if err != nil {
		return err
	}
	defer closeAll()
	rounds := f.Rounds
	if rounds == 0 {
		rounds = 1
		if f.Compare != "" {
			rounds = 3
		}
	}
	progress := newProgress(rounds * len(contenders))
	defer progress.done()
	results, err := bench.Coll(ctx, bench.CollConfig{
		Benchmark: benchmark, Ranks: f.NP, Sizes: f.Sizes, Rounds: rounds, Repeat: f.Reps, Contenders: contenders,
		Step: func(who string, round int) { progress.begin(fmt.Sprintf("%s, round %d", who, round+1)) },
	})
	progress.done()
	if err != nil {
		return err
	}
	if f.JSON {
		out := json.NewEncoder(os.Stdout)
		for _, r := range slices.Concat(results...) {
			if err := out.Encode(r); err != nil {
				return err
			}
		}
		return nil
	}
	return printColl(benchmark, contenders, results)
}

// printColl prints a row per size and two columns per contestant: the average and, of
// ours, the algorithm.
func printColl(benchmark string, contenders []bench.Contestant, results [][]bench.CollResult) error {
	fmt.Printf("# %s, %d ranks, us\n", benchmark, results[0][0].Ranks)
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "bytes\trepetitions\t")
	for i, c := range contenders {
		fmt.Fprintf(w, "%s (%s)\t", c, results[i][0].SingleCopy)
		if results[i][0].Algorithm != "" {
			fmt.Fprint(w, "algorithm\t")
		}
	}
	fmt.Fprintln(w, "ratio\t")
	for k, first := range results[0] {
		fmt.Fprintf(w, "%d\t%d\t", first.Bytes, first.Repetitions)
		best := 0.0
		for i := range contenders {
			r := results[i][k]
			fmt.Fprintf(w, "%.2f\t", r.Avg)
			if results[i][0].Algorithm != "" {
				fmt.Fprintf(w, "%s\t", r.Algorithm)
			} else if best == 0 || r.Avg < best {
				best = r.Avg
			}
		}
		if best == 0 {
			fmt.Fprintln(w, "-\t")
			continue
		}
		fmt.Fprintf(w, "%.2f\t\n", first.Avg/best)
	}
	return w.Flush()
}
