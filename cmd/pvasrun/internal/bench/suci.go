package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/cmd/pvasrun/internal/site"
	"github.com/gopvas/gopvas/internal/lab/bench/report"
	"github.com/gopvas/gopvas/internal/lab/bench/transport"
)

type suciBenchFlags struct {
	Parts   []string   `long:"part" env:"SUCI_PART" env-delim:"," value-name:"NAME" default-mask:"all" description:"what to measure: pingpong, burst, gather, bcast, beside; repeatable"`
	Sizes   cli.Sizes  `long:"sizes" env:"SUCI_SIZES" value-name:"LIST" default:"4,64,1KiB,4KiB,16KiB,64KiB,500KB" description:"lengths of messages"`
	Nodes   cli.Counts `short:"N" long:"nodes" env:"SUCI_NODES" value-name:"LIST" default:"5,40" description:"numbers of nodes, for gather and bcast"`
	Rate    site.Bits  `long:"rate" env:"SUCI_RATE" value-name:"BITS" default-mask:"not limited" description:"bits per second of each link, such as 100M"`
	Buffer  cli.Size   `long:"buffer" env:"SUCI_BUFFER" value-name:"SIZE" default:"64KiB" description:"queue of the switch towards each node, with --rate"`
	Frames  bool       `long:"frames" env:"SUCI_FRAMES" description:"links carry single frames, as wires do; --rate and --loss imply it"`
	Loss    float64    `long:"loss" env:"SUCI_LOSS" value-name:"SHARE" default:"0" description:"share of the packets that the switch drops"`
	Every   cli.Lapse  `long:"every" env:"SUCI_EVERY" value-name:"DUR" default:"500ms" description:"time of each measurement"`
	Spin    cli.Lapse  `long:"spin" env:"SUCI_SPIN" value-name:"DUR" default-mask:"never" description:"have suci poll so long before it sleeps"`
	Carrier []string   `long:"carrier" env:"SUCI_CARRIER" env-delim:"," value-name:"NAME" default-mask:"all" description:"contestants: suci, suci-fast, tcp; repeatable"`
	Control string     `long:"congestion" env:"SUCI_CONGESTION" value-name:"NAME" default-mask:"the system's" description:"congestion control of TCP, such as cubic or bbr"`
	JSON    bool       `long:"json" env:"JSON" description:"print one JSON object per line"`
	Plot    string     `long:"plot" env:"PLOT" value-name:"FILE" description:"draw a chart of each part as SVG"`
}

func executeSuciBenchmark(ctx context.Context, args []string) error {
	var f suciBenchFlags
	if err := cli.ParseOnly("pvasrun bench suci", &f, args); err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return cli.Mistake(err)
	}
	if err := transport.ErrCluster(); err != nil {
		return fmt.Errorf("bench suci: %w", err)
	}
	var results []transport.Result
	err := f.run(ctx, func(r transport.Result) error {
		results = append(results, r)
		if f.JSON {
			return cli.PrintJSON([]transport.Result{r})
		}
		return nil
	})
	if !f.JSON {
		err = errors.Join(err, printSuci(results))
	}
	if err != nil {
		return err
	}
	return cli.WriteNamed(f.Plot, "", 0, func(w io.Writer) error { return report.PlotSuci(w, results) })
}

func (f *suciBenchFlags) check() error {
	if err := transport.CheckSizes(f.Sizes...); err != nil {
		return fmt.Errorf("--sizes: %w", err)
	}
	for _, name := range f.Parts {
		if !slices.Contains(transport.Experiments, name) {
			return fmt.Errorf("--part %s: name one of %s", name, strings.Join(transport.Experiments, ", "))
		}
	}
	for _, name := range f.Carrier {
		if !slices.ContainsFunc(transport.Contestants, func(c transport.Contestant) bool { return c.Name == name }) {
			return fmt.Errorf("--carrier %s: name one of suci, suci-fast, tcp", name)
		}
	}
	switch {
	case slices.Min(f.Sizes) < 1:
		return errors.New("--sizes: at least 1")
	case slices.Min(f.Nodes) < 2 || slices.Max(f.Nodes) > 250:
		return errors.New("--nodes: 2 to 250")
	case f.Every <= 0:
		return errors.New("--every: write for example 500ms")
	case !(f.Loss >= 0 && f.Loss < 1): // NaN is no share, either
		return errors.New("--loss: a share below 1, such as 0.01")
	}
	return errors.Join(site.CheckLinks(f.Rate, f.Buffer), checkPlot(f.Plot, cli.Plot))
}

// run measures on a cluster of two nodes what two nodes do, and on one of each number of nodes what all do.
func (f *suciBenchFlags) run(ctx context.Context, each func(transport.Result) error) error {
	for i, nodes := range append([]int{2}, f.Nodes...) {
		list := f.experiments(nodes, i > 0)
		if len(list) == 0 {
			continue
		}
		c, err := transport.NewCluster(ctx, nodes, transport.Links{
			Rate: int(f.Rate), Buffer: int(f.Buffer), Frames: f.Frames, Loss: f.Loss, Pin: nodes == 2,
			Congestion: f.Control,
		})
		if err != nil {
			return err
		}
		for _, who := range transport.Contestants {
			if len(f.Carrier) > 0 && !slices.Contains(f.Carrier, who.Name) {
				continue
			}
			if err = c.Run(ctx, who, time.Duration(f.Spin), list, each); err != nil {
				break
			}
		}
		c.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// experiments are those of two nodes, or of all of so many.
func (f *suciBenchFlags) experiments(nodes int, many bool) (list []transport.Experiment) {
	for _, name := range transport.Experiments {
		if ofAll := name == "gather" || name == "bcast"; ofAll != many ||
			len(f.Parts) > 0 && !slices.Contains(f.Parts, name) {
			continue
		}
		for _, n := range f.Sizes {
			list = append(list,
				transport.Experiment{Name: name, Bytes: n, Nodes: nodes, Lasting: time.Duration(f.Every)})
		}
	}
	return list
}

func printSuci(results []transport.Result) error {
	w := cli.NewTable(os.Stdout)
	fmt.Fprintln(w, "experiment\tcarrier\tlinks\tnodes\tbytes\trounds\tmedian us\tleast\t99 %\tworst\tMB/s\t"+
		"again %\twakes\tsockets\tkernel KiB\t")
	for _, r := range results {
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%d\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%.2f\t%.1f\t%d\t%d\t\n", r.Experiment,
			r.Carrier+of(r.Congestion), r.Links, r.Nodes, r.Bytes,
			r.Rounds, r.Median, r.Least, r.P99, r.Worst, r.MBytesPerS, r.Again, r.Wakes, r.Sockets, r.Queued)
	}
	return w.Flush()
}

// of is what TCP is shown with.
func of(congestion string) string {
	if congestion == "" {
		return ""
	}
	return " (" + congestion + ")"
}
