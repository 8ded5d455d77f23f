package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/gopvas/gopvas/bench"
	"github.com/gopvas/gopvas/job"
)

type p2pFlags struct {
	NP         int      `short:"n" long:"np" env:"PVASRUN_NP" value-name:"N" default:"2" description:"number of ranks"`
	Sizes      sizes    `long:"sizes" env:"PVASRUN_SIZES" value-name:"LIST" default-mask:"0,1,2,4...4MiB" description:"message sizes"`
	BTL        btlNames `long:"btl" env:"PVASRUN_BTL" value-name:"LIST" default:"pvas,sm" description:"task models to measure"`
	SingleCopy []string `long:"single-copy" env:"PVASRUN_SINGLE_COPY" env-delim:"," choice:"auto" choice:"none" choice:"cma" default:"auto" description:"how sm and Open MPI copy long messages; repeatable, each is a contestant"`
	EagerLimit size     `long:"eager-limit" env:"PVASRUN_EAGER_LIMIT" value-name:"SIZE" default:"4KiB" description:"longest message that is copied to and fro"`
	RingBlock  size     `long:"ring-block" env:"PVASRUN_RING_BLOCK" value-name:"SIZE" default:"32KiB" description:"block of the pipeline of sm"`
	Spin       int      `long:"spin" env:"PVASRUN_SPIN" value-name:"N" default:"2000" description:"looks before a wait sleeps"`
	Bind       string   `long:"bind" env:"PVASRUN_BIND" choice:"none" choice:"core" default:"none" description:"pin rank i to CPU i"`
	Compare    string   `long:"compare" env:"PVASRUN_COMPARE" value-name:"LIST" description:"installed MPIs to run in turn with ours: openmpi,mpich"`
	Rounds     int      `long:"rounds" env:"PVASRUN_ROUNDS" value-name:"N" default-mask:"5 with --compare, else 1" description:"runs of each contestant, in turn; the median counts"`
	Reps       int      `long:"reps" env:"PVASRUN_REPS" value-name:"N" default-mask:"by size" description:"repetitions per run and size"`
	JSON       bool     `long:"json" env:"PVASRUN_JSON" description:"print one JSON object per line"`
}

const p2pDescription = `pingpong: half a round trip between ranks 0 and 1. pingping: a message each way at once. bw: 64 messages under way, from the lower half of the ranks to the upper; mbw_mr: the same, as the message rate of all pairs. ring: a message once around all ranks. copy: no message, only a copy from the peer's memory, the bound for pingpong. Loops and repetitions follow IMB and the OSU benchmarks, and are the same in C for the MPIs of --compare, for which ratio is our pvas to the better of them.`

func executeP2P(benchmark string, args []string) error {
	f := p2pFlags{}
	for n := 1; n <= 4<<20; n *= 2 {
		f.Sizes = append(f.Sizes, n)
	}
	f.Sizes = append(sizes{0}, f.Sizes...)
	if err := parseOnly("pvasrun bench "+benchmark, p2pDescription, &f, args); err != nil {
		return err
	}
	if f.NP < 2 || benchmark == "copy" && f.NP != 2 {
		return usageError{fmt.Errorf("-n %d: %s needs two ranks", f.NP, benchmark)}
	}
	if benchmark == "copy" && f.Compare != "" {
		return usageError{errors.New("--compare: a copy is the same in every MPI")}
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
			rounds = 5
		}
	}
	progress := newProgress(rounds * len(contenders))
	defer progress.done()
	results, err := bench.P2P(ctx, bench.P2PConfig{
		Benchmark: benchmark, Ranks: f.NP, Sizes: f.Sizes, Rounds: rounds, Repeat: f.Reps, Contenders: contenders,
		Step: func(who string, round int) { progress.begin(fmt.Sprintf("%s, round %d", who, round+1)) },
	})
	progress.done()
	if err != nil {
		return err
	}
	if f.JSON {
		return printP2PJSON(results)
	}
	return printP2P(benchmark, contenders, results)
}

// contenders are ours, by BTL and single-copy mode, and the MPIs of --compare
// that are installed; what is missing is said and left out.
func (f *p2pFlags) contenders(ctx context.Context) (list []bench.Contestant, closeAll func(), err error) {
	pinned := f.Bind == "core"
	numbers := tunableFlags{EagerLimit: f.EagerLimit, RingBlock: f.RingBlock, Spin: f.Spin, SingleCopy: job.SingleCopyAuto.String()}
	tunables, err := numbers.tunables()
	if err != nil {
		return nil, nil, usageError{err}
	}
	for _, btl := range f.BTL {
		modes := []string{""}
		if btl == "sm" {
			modes = f.SingleCopy
		}
		for _, mode := range modes {
			list = append(list, bench.Contestant{Name: btl, SingleCopy: mode, Pinned: pinned, Tunables: tunables})
		}
	}
	var closers []func()
	closeAll = func() {
		for _, c := range closers {
			c()
		}
	}
	for name := range strings.SplitSeq(f.Compare, ",") {
		if name == "" {
			continue
		}
		modes := []string{""}
		if name == "openmpi" && !slices.Contains(f.SingleCopy, "auto") {
			modes = f.SingleCopy
		}
		for _, mode := range modes {
			c, closePeer, err := bench.Peer(ctx, name, mode, pinned)
			if _, missing := errors.AsType[*bench.MissingError](err); missing {
				fmt.Fprintln(os.Stderr, "pvasrun:", err)
				continue
			}
			if err != nil {
				closeAll()
				return nil, nil, err
			}
			closers = append(closers, closePeer)
			list = append(list, c)
		}
	}
	return list, closeAll, nil
}

func printP2PJSON(results [][]bench.P2PResult) error {
	out := json.NewEncoder(os.Stdout)
	for _, r := range slices.Concat(results...) {
		if err := out.Encode(r); err != nil {
			return err
		}
	}
	return nil
}

// printP2P prints a row per size and a column per contestant.
func printP2P(benchmark string, contenders []bench.Contestant, results [][]bench.P2PResult) error {
	rate := benchmark == "bw" || benchmark == "mbw_mr"
	unit := "us"
	if rate {
		unit = "MB/s and messages/s"
	}
	fmt.Printf("# %s, %d ranks, %s\n", benchmark, results[0][0].Ranks, unit)
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "bytes\trepetitions\t")
	for i, c := range contenders {
		fmt.Fprintf(w, "%s (%s)\t", c, results[i][0].SingleCopy)
		if rate {
			fmt.Fprint(w, "messages/s\t")
		}
	}
	fmt.Fprintln(w, "ratio\t")
	for k, first := range results[0] {
		fmt.Fprintf(w, "%d\t%d\t", first.Bytes, first.Repetitions)
		for i := range contenders {
			if r := results[i][k]; rate {
				fmt.Fprintf(w, "%.1f\t%.0f\t", r.MBytesPerS, r.MessagesPerS)
			} else {
				fmt.Fprintf(w, "%.3f\t", r.Avg)
			}
		}
		fmt.Fprintf(w, "%s\t\n", peerRatio(results, k))
	}
	return w.Flush()
}

// peerRatio is the time of our first contestant at size k to that of the best
// peer.
func peerRatio(results [][]bench.P2PResult, k int) string {
	best := 0.0
	for _, r := range results {
		peer := r[k].BTL == "openmpi" || r[k].BTL == "mpich"
		if peer && (best == 0 || r[k].Avg < best) {
			best = r[k].Avg
		}
	}
	if best == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", results[0][k].Avg/best)
}
