package bench

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/cmd/pvasrun/internal/settings"
	"github.com/gopvas/gopvas/internal/lab/bench/runner"
	"github.com/gopvas/gopvas/internal/msg/coll"
	"github.com/gopvas/gopvas/internal/node/job"
)

// whoFlags say who takes part in a benchmark.
type whoFlags struct {
	BTL     cli.BTLNames `long:"btl" env:"BTL" value-name:"LIST" default:"pvas,sm" description:"task models to measure"`
	Compare peerNames    `long:"compare" env:"COMPARE" value-name:"LIST" description:"installed MPIs to run in turn with ours: openmpi,mpich"`
}

// contestantFlags say who takes part in a benchmark, and how its messages go.
type contestantFlags struct {
	whoFlags
	EagerLimit cli.Size       `long:"eager-limit" least:"1" most:"16777216; no more is held of a sender that runs ahead" env:"EAGER_LIMIT" value-name:"SIZE" default:"4KiB" description:"longest message that is copied to and fro, up to 16 MiB, to show what that costs; of jobs 64 KiB are the most"`
	RingBlock  cli.Size       `long:"ring-block" least:"4096" env:"RING_BLOCK" value-name:"SIZE" default:"32KiB" description:"block of the pipeline of sm"`
	Spin       int            `long:"spin" least:"0" most:"1073741824; that is more than 10 s of looking" env:"SPIN" value-name:"N" default:"32000" description:"looks before a wait sleeps"`
	Bind       string         `long:"bind" env:"BIND" choice:"none" choice:"core" default:"none" description:"pin rank i to CPU i"`
	Coll       cli.Algorithms `long:"coll" env:"COLL" value-name:"LIST" description:"force algorithms of our collectives, such as allreduce=tree,ibcast=chain"`
	JSON       bool           `long:"json" env:"JSON" description:"print one JSON object per line"`
}

// limitFlags are of benchmarks whose jobs repeat a call.
type limitFlags struct {
	MaxSeconds cli.Lapse `long:"max-seconds" env:"MAX_SECONDS" value-name:"DUR" default:"10" description:"time for the repetitions of one job at one size: fewer are made where they take longer"`
}

// contenders are ours, by BTL and single-copy mode, and the MPIs of --compare. The modes
// are those of sm and of Open MPI; closeAll removes what was compiled for the MPIs.
func (f *contestantFlags) contenders(sm, openMPI []string) (list []runner.Contestant, closeAll func(), err error) {
	if list, err = f.own(sm); err != nil {
		return nil, nil, cli.Mistake(err)
	}
	peers, closeAll, err := f.peers(openMPI, f.Bind == "core")
	return append(list, peers...), closeAll, err
}

// peers are the MPIs of --compare that are installed; what is missing is said and left
// out.
func (f *whoFlags) peers(openMPI []string, pinned bool) (list []runner.Contestant, closeAll func(), err error) {
	var closers []func()
	closeAll = func() {
		for _, c := range closers {
			c()
		}
	}
	for _, name := range f.Compare {
		for _, mode := range peerCopies(name, openMPI) {
			c, closePeer, err := runner.Peer(name, mode, pinned)
			if _, missing := errors.AsType[*runner.MissingError](err); missing {
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

// peerCopies are the ways to copy long messages with which an MPI takes part: only of Open MPI's there is a choice.
func peerCopies(name string, modes []string) []string {
	if name != "openmpi" || slices.Contains(modes, job.SingleCopyAuto.String()) {
		return []string{""}
	}
	return modes
}

// own are the contestants that are ours.
func (f *contestantFlags) own(singleCopy []string) (list []runner.Contestant, err error) {
	numbers := settings.TunableFlags{EagerLimit: f.EagerLimit, RingBlock: f.RingBlock, Spin: &f.Spin,
		SingleCopy: job.SingleCopyAuto.String()}
	settings, err := numbers.Settings()
	if err != nil {
		return nil, err
	}
	if settings.Coll = string(f.Coll); settings.Coll != "" {
		if _, err := coll.ParseChoice(settings.Coll); err != nil {
			return nil, fmt.Errorf("--coll: %w", err)
		}
	}
	models, err := f.BTL.Here()
	if err != nil {
		return nil, err
	}
	for _, btl := range models {
		modes := []string{""}
		if btl == job.BTLSM.String() {
			modes = singleCopy
		}
		for _, mode := range modes {
			list = append(list,
				runner.Contestant{Name: btl, SingleCopy: mode, Pinned: f.Bind == "core", Settings: settings})
		}
	}
	return list, nil
}

// checkPlot finds out before a measurement whether its plot can be written.
func checkPlot(file string, kind cli.Kind) error {
	if err := cli.Writable(file, kind); err != nil {
		return cli.Mistake(fmt.Errorf("--plot: %w", err))
	}
	return nil
}
