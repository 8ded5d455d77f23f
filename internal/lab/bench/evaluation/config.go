package evaluation

import (
	"context"
	"slices"

	"github.com/gopvas/gopvas/internal/lab/bench/results"
	"github.com/gopvas/gopvas/internal/lab/bench/runner"
	"github.com/gopvas/gopvas/internal/node/job"
)

// Config describes a run of the paper's evaluation.
type Config struct {
	Quick bool
	BTLs  []string            // "pvas", "sm": what works here
	CMA   bool                // processes may read one another's memory
	Peers []runner.Contestant // installed MPIs

	tiny bool // for tests: the least of everything
}

// An Experiment is a table or figure of the paper, or a part of one.
type Experiment struct {
	Name    string
	Command string // repeats it
	Rounds  int    // for a median and its spread, or because it is long and has parts
	Weight  int    // about how many seconds a round takes
	Skip    string // why it cannot be run here; "": it can
	Run     func(ctx context.Context, round int) ([]results.Point, error)
}

// own are the contestants that are ours: sm with each way to copy that it has here.
func (c *Config) own() (list []runner.Contestant) {
	for _, btl := range c.BTLs {
		if btl != job.BTLSM.String() {
			list = append(list, runner.Contestant{Name: btl})
			continue
		}
		list = append(list, runner.Contestant{Name: btl, SingleCopy: job.SingleCopyNone.String()})
		if c.CMA {
			list = append(list, runner.Contestant{Name: btl, SingleCopy: job.SingleCopyCMA.String()})
		}
	}
	return list
}

// all are ours and the peers.
func (c *Config) all() []runner.Contestant { return slices.Concat(c.own(), c.Peers) }

// models are our task models, without regard to how they copy.
func (c *Config) models() (list []runner.Contestant) {
	for _, btl := range c.BTLs {
		list = append(list, runner.Contestant{Name: btl})
	}
	return list
}

// pinned has rank i of each contestant on CPU i.
func pinned(list []runner.Contestant) []runner.Contestant {
	list = slices.Clone(list)
	for i := range list {
		list[i].Pinned = true
	}
	return list
}

// scaled is what to take in a test, a quick run and a full one.
func scaled[T any](c *Config, tiny, quick, full T) T {
	switch {
	case c.tiny:
		return tiny
	case c.Quick:
		return quick
	}
	return full
}
