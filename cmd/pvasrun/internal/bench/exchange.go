package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/cmd/pvasrun/internal/site"
	"github.com/gopvas/gopvas/exchange"
	"github.com/gopvas/gopvas/internal/lab/bench/neighbors"
	"github.com/gopvas/gopvas/internal/lab/bench/runner"
	"github.com/gopvas/gopvas/internal/lab/bench/transport"
	"github.com/gopvas/gopvas/launcher/cluster"
)

type exchangeFlags struct {
	site.Flags
	Neighbors string        `short:"N" long:"neighbors" env:"EX_NEIGHBORS" value-name:"N" default:"6" description:"messages that each rank sends, or halo: the 6 faces, 12 edges and 8 corners of a cube"`
	Sizes     cli.Sizes     `long:"sizes" env:"EX_SIZES" value-name:"LIST" default:"16KiB,64KiB,256KiB,1MiB" description:"lengths of a message, with halo of a face"`
	Exchange  []string      `long:"exchange" env:"EX_EXCHANGE" env-delim:"," choice:"auto" choice:"plain" choice:"wrap" choice:"steps" choice:"stripe" default-mask:"all" description:"how messages are divided among the devices; repeatable, each is a contestant"`
	Copy      bool          `long:"copy" env:"EX_COPY" description:"each way also with a copy, as a contestant more: ranks receive into a buffer and copy from there"`
	Compare   exchangePeers `long:"compare" env:"COMPARE" value-name:"LIST" description:"what to run in turn with ours: openmpi, over a TCP connection for each device; mptcp, which is Open MPI over MPTCP"`
	Rounds    int           `long:"rounds" most:"1000; each round is a job of every contestant" env:"EX_ROUNDS" value-name:"N" default-mask:"1; with --compare 3" description:"runs of each contestant, in turn; the median counts"`
	Every     cli.Lapse     `long:"every" env:"EX_EVERY" value-name:"DUR" default:"2s" description:"time of each run at each length; three exchanges are made at least"`
	Plot      string        `long:"plot" env:"PLOT" value-name:"FILE" description:"draw what each device has sent when, in the last exchange of the first contestant, as HTML"`
	JSON      bool          `long:"json" env:"JSON" description:"print one JSON object per line"`
	Verbose   bool          `short:"v" long:"verbose" env:"VERBOSE" description:"say what is done"`
}

func executeExchange(ctx context.Context, args []string) error {
	f := exchangeFlags{Rounds: cli.NotGiven, Flags: site.Flags{Nodes: 2, Rate: 50_000_000}}
	if err := cli.ParseOnly("pvasrun bench exchange", &f, args); err != nil {
		return err
	}
	cfg, err := f.config()
	if err != nil {
		return cli.Mistake(err)
	}
	if cfg.Site.Nodes.Hosts == nil {
		if err := cli.Fits("--sizes", cfg.Memory()); err != nil {
			return err
		}
		site, end, err := f.Make(ctx, cfg.Ranks, transport.Links{MPTCP: slices.Contains(f.Compare, runner.MPTCP)})
		if err != nil {
			return fmt.Errorf("bench exchange: %w", err)
		}
		defer end()
		cfg.Site = site
	}
	if len(f.Compare) > 0 {
		who := whoFlags{Compare: peerNames(f.Compare)}
		peers, closeAll, err := who.peers([]string{""}, false)
		if err != nil {
			return err
		}
		defer closeAll()
		cfg.Peers = peers
	}
	contestants := len(cfg.Ways) + len(cfg.Peers)
	progress := cli.NewProgress(cfg.Rounds * contestants)
	defer progress.Done()
	cfg.Step = func(who string, round int) { progress.Begin(fmt.Sprintf("%s, round %d", who, round+1)) }
	results, failed := neighbors.Run(ctx, cfg)
	progress.Done()
	if len(results) == 0 {
		return failed
	}
	return errors.Join(failed, f.write(&cfg, results))
}

// write prints the results, and draws what is to be drawn.
func (f *exchangeFlags) write(cfg *neighbors.Config, results [][]neighbors.Result) (err error) {
	if f.JSON {
		err = cli.PrintJSON(slices.Concat(results...))
	} else {
		err = printExchange(os.Stdout, cfg, results)
	}
	if err != nil || f.Plot == "" {
		return err
	}
	return plotExchange(f.Plot, cfg, results[len(results)-1][0])
}

// config is what the flags say, without nodes if these are to be made.
func (f *exchangeFlags) config() (cfg neighbors.Config, err error) {
	cfg = neighbors.Config{
		Neighbors: f.Neighbors, Sizes: f.Sizes, BTL: "auto", Rounds: f.Rounds, Every: time.Duration(f.Every),
		Picture: f.Plot != "", Verbose: cli.Logger(f.Verbose),
	}
	if cfg.Rounds == cli.NotGiven {
		cfg.Rounds = 1
		if len(f.Compare) > 0 {
			cfg.Rounds = 3
		}
	}
	names := f.Exchange
	if len(names) == 0 {
		names = []string{"auto", "plain", "wrap", "steps", "stripe"}
	}
	for _, name := range names {
		form, err := exchange.ParseForm(name)
		if err != nil {
			return cfg, err
		}
		cfg.Ways = append(cfg.Ways, neighbors.Way{Form: form})
		if f.Copy {
			cfg.Ways = append(cfg.Ways, neighbors.Way{Form: form, Copy: true})
		}
	}
	if err := f.check(&cfg); err != nil {
		return cfg, err
	}
	if err := cli.Apart([]cli.Named{{By: "--plot", File: f.Plot}},
		cli.Named{By: "the nodes of --hostfile", File: f.Hostfile}); err != nil {
		return cfg, err
	}
	if cfg.Site.Nodes, err = f.Named(); err != nil {
		return cfg, err
	}
	if hosts := cfg.Site.Nodes.Hosts; hosts != nil {
		cfg.Site.Oversubscribed = true // it may be
		cfg.Ranks = cluster.Slots(hosts)
		return cfg, cfg.Site.Nodes.Check(cfg.Ranks)
	}
	cfg.Ranks, f.Devices = f.Nodes, cmp.Or(f.Devices, "4")
	return cfg, f.CheckMade(cfg.Ranks)
}

func (f *exchangeFlags) check(cfg *neighbors.Config) error {
	for _, n := range f.Sizes {
		if n < 1 || n > 1<<30 {
			return errors.New("--sizes: from 1 byte to 1 GiB")
		}
		if _, err := cfg.Counts(n); err != nil {
			return fmt.Errorf("--neighbors: %w", err)
		}
	}
	switch {
	case cfg.Rounds < 1:
		return errors.New("--rounds: at least one is needed")
	case f.Every <= 0:
		return errors.New("--every: write for example 2s")
	}
	return checkPlot(f.Plot, cli.Page)
}
