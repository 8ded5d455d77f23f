package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/cmd/pvasrun/internal/site"
	"github.com/gopvas/gopvas/internal/lab/bench/overlap"
	"github.com/gopvas/gopvas/internal/lab/bench/runner"
	"github.com/gopvas/gopvas/internal/node/job"
)

type overlapFlags struct {
	contestantFlags
	site.Flags
	NP      cli.Counts   `short:"n" long:"np" most:"65536; a job has no more ranks" env:"NP_LIST" value-name:"LIST" default-mask:"2; on several nodes as many as they take" description:"numbers of ranks"`
	Sizes   cli.Sizes    `long:"sizes" env:"SIZES" value-name:"LIST" default:"64KiB,1MiB" description:"lengths of the broadcast"`
	Grains  grains       `long:"grain" most:"1024; a product then takes a second" env:"GRAIN" value-name:"LIST" default:"4,40" description:"rows of the matrices"`
	Tests   testCounts   `long:"tests" most:"1000000; they would take longer than the broadcast" env:"TESTS" value-name:"LIST" default:"0,1,10,100,each" description:"calls of Test per broadcast; each: after each product, until it is there"`
	Policy  policies     `long:"policy" env:"POLICY" value-name:"LIST" default:"share,owner" description:"how ours makes progress"`
	Helpers helperCounts `long:"helpers" most:"65536; a rank has one at most, and a job has no more ranks" env:"HELPERS" value-name:"LIST" default:"0,1,2" description:"helpers for the whole job, in one address space on one node"`
	Work    *cli.Lapse   `long:"work" env:"WORK" value-name:"DUR" default-mask:"as long as the slowest contestant's broadcast takes alone" description:"computing per broadcast"`
	Loop    cli.Lapse    `long:"loop" env:"LOOP" value-name:"DUR" default:"5ms" description:"length of each loop that is timed"`
	Blocks  int          `long:"blocks" most:"100000; each is a line of the job's output" env:"BLOCKS" value-name:"N" default:"8" description:"blocks of such loops in a run"`
	Rounds  int          `long:"rounds" most:"1000; each round is a job of every contestant" env:"ROUNDS" value-name:"N" default:"3" description:"runs of each contestant, in turn; medians over the blocks of all are reported"`
	Parts   []string     `long:"part" env:"PART" env-delim:"," choice:"broadcast" choice:"chain" choice:"graph" default-mask:"all" description:"what to measure; repeatable"`
	Plot    string       `long:"plot" env:"PLOT" value-name:"FILE" description:"draw the broadcasts of at least two --sizes as SVG, those of the first number of ranks: CPU time not spent computing"`
	Verbose bool         `short:"v" long:"verbose" env:"VERBOSE" description:"show which ranks have done the work"`
}

func (f *overlapFlags) check() error {
	switch {
	case slices.Min(f.Sizes) < 1:
		return errors.New("--sizes: at least 1")
	case f.Rounds < 1:
		return errors.New("--rounds: at least one is needed")
	case f.Blocks < 1:
		return errors.New("--blocks: at least one is needed")
	case f.Work != nil && *f.Work == 0:
		return errors.New("--work: 0 leaves nothing to overlap: write for example 1ms, or leave it out")
	case f.Loop <= 0:
		return errors.New("--loop: write for example 30ms")
	case f.Plot != "" && (len(f.Sizes) < 2 || !f.wants("broadcast")):
		return errors.New("--plot: draws broadcasts of at least two --sizes: write for example --sizes 64K,1M")
	case len(f.NP) > 0 && !f.wants("broadcast") && os.Getenv(cli.BenchVariables+"_NP_LIST") == "":
		return fmt.Errorf("-n: it is of broadcasts; the chain has %d ranks, a graph one: leave -n out, or add "+
			"--part broadcast", chainRanks)
	}
	return checkPlot(f.Plot, cli.Plot)
}

// wants tells whether a part is measured. On several nodes graphs of one rank are not, unless they are asked for.
func (f *overlapFlags) wants(part string) bool {
	return len(f.Parts) == 0 && (part != "graph" || !f.Several()) || slices.Contains(f.Parts, part)
}

// place returns the nodes that the experiment runs on, as site.Flags.Place does. It also sets the number of ranks.
func (f *overlapFlags) place(ctx context.Context) (where *runner.Site, end func(), err error) {
	if err := f.CheckUse(cli.BenchVariables); err != nil {
		return nil, nil, cli.Mistake(err)
	}
	if len(f.NP) == 0 {
		n, err := f.Ranks(2)
		if err != nil {
			return nil, nil, cli.Mistake(err)
		}
		f.NP = cli.Counts{n}
	}
	most := slices.Max(f.NP)
	if ranks, helpers := max(most, chainRanks), slices.Max(f.Helpers); helpers > ranks {
		return nil, nil, cli.Mistake(fmt.Errorf("--helpers %d: there are at most %d ranks, and a rank has one at most",
			helpers, ranks))
	}
	return f.Place(ctx, "bench overlap", min(slices.Min(f.NP), chainRanks), most)
}

// progressing are the contestants in all their ways to make progress. Between processes each rank executes its own,
// without helpers or with one in each rank. Between nodes it does so while it computes, too, but for the policy owner.
func (f *overlapFlags) progressing(base []runner.Contestant) (list []overlap.Contender) {
	for _, c := range base {
		of := func(policy string, helpers ...int) {
			for _, k := range helpers {
				list = append(list, overlap.Contender{Contestant: c, Policy: policy, Helpers: k})
			}
		}
		if c.IsPeer() {
			of("", 0)
			continue
		}
		if c.Name == job.BTLSM.String() || c.Site != nil {
			if c.Site != nil {
				of("share", 0)
			}
			of("owner", 0, overlap.EveryRank)
			continue
		}
		for _, policy := range f.Policy {
			of(policy, f.Helpers...)
		}
	}
	return list
}

// grains is a list of numbers of rows such as 4,40.
type grains []int

// UnmarshalFlag parses a flag's value.
func (v *grains) UnmarshalFlag(text string) error {
	list, ok := cli.Numbers(text, 1)
	if !ok {
		return fmt.Errorf("%q is not a list of matrix sizes such as 4,40", text)
	}
	*v = list
	return nil
}

// helperCounts is a list of numbers of helpers such as 0,1,2.
type helperCounts []int

// UnmarshalFlag parses a flag's value.
func (v *helperCounts) UnmarshalFlag(text string) error {
	list, ok := cli.Numbers(text, 0)
	if !ok {
		return fmt.Errorf("%q is not a list of numbers of helpers such as 0,1,2", text)
	}
	*v = list
	return nil
}

// testCounts is a list of numbers of tests such as 0,10,each.
type testCounts []int

// UnmarshalFlag parses a flag's value.
func (v *testCounts) UnmarshalFlag(text string) error {
	var list testCounts
	for item := range strings.SplitSeq(text, ",") {
		n, ok := []int{overlap.EachProduct}, item == "each"
		if !ok {
			n, ok = cli.Numbers(item, 0)
		}
		if !ok {
			return fmt.Errorf("%q is not a list of numbers of tests such as 0,10,each", text)
		}
		list = append(list, n...)
	}
	*v = list
	return nil
}

// policies is a list of ways to make progress such as share,owner.
type policies []string

// UnmarshalFlag parses a flag's value.
func (v *policies) UnmarshalFlag(text string) error {
	list, ok := cli.Words(text, v.Items())
	if !ok {
		return fmt.Errorf("%q is not a list of %s", text, strings.Join(v.Items(), ", "))
	}
	*v = list
	return nil
}

// Items are the ways.
func (policies) Items() []string { return cli.AllPolicies }
