package bench

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// P2PConfig describes a run of a point-to-point benchmark.
type P2PConfig struct {
	Benchmark  string // one of Patterns
	Ranks      int
	Sizes      []int // bytes
	Rounds     int   // each contestant runs so often, in turn; medians are reported
	Repeat     int   // repetitions per size; 0: by size, see repetitions
	Contenders []Contestant
	Step       func(contestant string, round int) // told before each job; nil: nobody
}

// A P2PResult is one contestant at one size: the median round. Times are
// microseconds for one unit of the benchmark (see Patterns).
type P2PResult struct {
	Benchmark    string  `json:"benchmark"`
	BTL          string  `json:"btl"` // pvas, sm, or the name of the peer
	SingleCopy   string  `json:"single_copy"`
	Ranks        int     `json:"ranks"`
	Bytes        int     `json:"bytes"`
	Repetitions  int     `json:"repetitions"`
	Avg          float64 `json:"t_avg_us"`
	Min          float64 `json:"t_min_us"` // the fastest block of the repetitions
	Max          float64 `json:"t_max_us"`
	MBytesPerS   float64 `json:"mbytes_per_s"` // 1e6 bytes
	MessagesPerS float64 `json:"messages_per_s"`

	// The tunables in force, of this project only.
	EagerLimit int `json:"eager_limit,omitempty"`
	RingBlock  int `json:"ring_block,omitempty"`
	Spin       int `json:"spin,omitempty"`
}

// Patterns are the names of the point-to-point benchmarks:
//
//	pingpong  half a round trip between ranks 0 and 1
//	pingping  a message each way at once
//	bw        a window of 64 messages from the lower half of the ranks to the
//	          upper, then an acknowledgement; time per message
//	mbw_mr    the same, as the message rate of all pairs together
//	ring      a message once around all ranks
//	copy      no message: a copy from the peer's memory, the bound for pingpong
func Patterns() []string { return slices.Sorted(maps.Keys(patterns)) }

// repetitions are many for small messages, and no more than move 256 MiB.
func (c *P2PConfig) repetitions(n int) int {
	if c.Repeat > 0 {
		return c.Repeat
	}
	most := 20_000
	if c.Benchmark == "bw" || c.Benchmark == "mbw_mr" || c.Benchmark == "ring" {
		most = 2_000
	}
	if n > 8<<10 {
		most = min(most, 1000)
	}
	return max(20, min(most, 256<<20/max(n, 1)/int(patterns[c.Benchmark].units)))
}

// load is the argument that tells the rank program sizes and repetitions.
func (c *P2PConfig) load() string {
	items := make([]string, len(c.Sizes))
	for i, n := range c.Sizes {
		items[i] = fmt.Sprintf("%d:%d", n, c.repetitions(n))
	}
	return strings.Join(items, ",")
}

// P2P runs the contestants in turn and returns, by contestant and size, the
// median of its rounds.
func P2P(ctx context.Context, cfg P2PConfig) ([][]P2PResult, error) {
	rounds := make([][][]timing, len(cfg.Contenders)) // contestant, round, size
	for round := range cfg.Rounds {
		for i, c := range cfg.Contenders {
			if cfg.Step != nil {
				cfg.Step(c.String(), round)
			}
			out, err := c.run(ctx, cfg.Ranks, []string{"p2p", cfg.Benchmark, cfg.load()})
			if err != nil {
				return nil, fmt.Errorf("bench: %s: %s: %w", cfg.Benchmark, c, err)
			}
			lines, err := parseLines(bytes.NewReader(out))
			if err != nil || len(lines) != len(cfg.Sizes) {
				return nil, fmt.Errorf("bench: %s: %s: unexpected output %.200q: %w", cfg.Benchmark, c, out, err)
			}
			rounds[i] = append(rounds[i], lines)
		}
	}
	results := make([][]P2PResult, len(cfg.Contenders))
	for i, c := range cfg.Contenders {
		for k := range cfg.Sizes {
			results[i] = append(results[i], cfg.result(c, medianRound(rounds[i], k)))
		}
	}
	return results, nil
}

// A timing is a line that a rank program prints.
type timing struct {
	bytes, reps   int
	avg, min, max float64
	algorithm     string // "": not said
}

func parseLines(r io.Reader) (lines []timing, err error) {
	s := bufio.NewScanner(r)
	for s.Scan() {
		var t timing
		if _, err := fmt.Sscan(s.Text(), &t.bytes, &t.reps, &t.avg, &t.min, &t.max); err != nil {
			return nil, fmt.Errorf("line %q: %w", s.Text(), err)
		}
		if words := strings.Fields(s.Text()); len(words) > 5 {
			t.algorithm = words[5]
		}
		lines = append(lines, t)
	}
	return lines, s.Err()
}

// medianRound returns the round whose average at size k is the median.
func medianRound(rounds [][]timing, k int) timing {
	at := make([]timing, len(rounds))
	for i := range rounds {
		at[i] = rounds[i][k]
	}
	slices.SortFunc(at, func(a, b timing) int {
		switch {
		case a.avg < b.avg:
			return -1
		case a.avg > b.avg:
			return 1
		}
		return 0
	})
	return at[(len(at)-1)/2]
}

func (c *P2PConfig) result(who Contestant, t timing) P2PResult {
	r := P2PResult{
		Benchmark: c.Benchmark, BTL: who.Name, SingleCopy: who.path(), Ranks: c.Ranks,
		Bytes: t.bytes, Repetitions: t.reps, Avg: t.avg, Min: t.min, Max: t.max,
	}
	if who.peer == nil {
		if t, err := who.Tunables.Resolve(); err == nil {
			r.EagerLimit, r.RingBlock, r.Spin = t.EagerLimit, t.RingBlock, t.Spin
		}
	}
	streams := 1.0
	if patterns[c.Benchmark].pairs {
		streams = float64(c.Ranks / 2)
	}
	if t.avg > 0 {
		r.MessagesPerS = streams * 1e6 / t.avg
		r.MBytesPerS = r.MessagesPerS * float64(t.bytes) / 1e6
	}
	return r
}
