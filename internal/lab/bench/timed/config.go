package timed

import (
	"time"

	"github.com/gopvas/gopvas/internal/lab/bench/runner"
)

// Config describes a run of a benchmark that times messages or collective
// operations.
type Config struct {
	Benchmark string // one of Patterns, Collectives or Layouts
	Ranks     int
	// Goroutines of each rank that call at a time, each on a communicator of its own. Only of Collectives and
	// of our ranks; 0: one.
	Goroutines int
	// Late is for how long one rank, another at random in each call, computes before it calls. The root is then rank 0.
	// Only of Collectives.
	Late       time.Duration
	Sizes      []int         // bytes; barrier has none, and is run once
	Rounds     int           // each contestant runs so often, in turn; medians are reported
	Repeat     int           // repetitions per size; 0: by size
	Limit      time.Duration // for all repetitions at a size: fewer are made if they take longer
	Contenders []runner.Contestant
	Step       func(contestant string, round int) // told before each job; nil: nobody
}

// A Result is one contestant at one size: the round whose average is the median.
// Times are microseconds for one unit of the benchmark, see Patterns, Collectives and
// Layouts.
type Result struct {
	Benchmark   string  `json:"benchmark"`
	BTL         string  `json:"btl"` // pvas, sm, loop, or the name of the peer
	SingleCopy  string  `json:"single_copy"`
	Profile     bool    `json:"profile,omitempty"`   // by the settings of a profile
	Algorithm   string  `json:"algorithm,omitempty"` // of our collective operations
	Ranks       int     `json:"ranks"`
	Nodes       int     `json:"nodes,omitempty"`      // if several
	Goroutines  int     `json:"goroutines,omitempty"` // of each rank, if several; then Repetitions are of each one
	Late        float64 `json:"late_us,omitempty"`    // see Config
	Bytes       int     `json:"bytes"`
	Repetitions int     `json:"repetitions"`
	Min         float64 `json:"t_min_us"` // of messages the fastest block of the repetitions, else the fastest rank
	Avg         float64 `json:"t_avg_us"`
	Max         float64 `json:"t_max_us"`

	// Rounds are the averages of all rounds, in turn, where there are several.
	Rounds []float64 `json:"rounds_us,omitempty"`

	// Of messages only.
	MBytesPerS   float64 `json:"mbytes_per_s,omitempty"` // 1e6 bytes
	MessagesPerS float64 `json:"messages_per_s,omitempty"`

	// The settings in force, of this project's messages only.
	EagerLimit int `json:"eager_limit,omitempty"`
	RingBlock  int `json:"ring_block,omitempty"`
	Spin       int `json:"spin,omitempty"`
}
