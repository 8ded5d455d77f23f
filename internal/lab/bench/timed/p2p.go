package timed

import (
	"maps"
	"slices"

	"github.com/gopvas/gopvas/internal/lab/bench/runner"
)

// Patterns are the names of the point-to-point benchmarks:
//
//	pingpong  half a round trip between ranks 0 and 1
//	pingping  a message each way at once
//	bw        a window of 64 messages from the lower half of the ranks to the
//	          upper, then an acknowledgement; time per message
//	mbw_mr    the same, as the message rate of all pairs together
//	ring      a message once around all ranks
//	incast    a message from every other rank to rank 0, all at once, after a
//	          barrier, until rank 0 has them all
//	copy      no message: a copy from the peer's memory, the bound for pingpong
func Patterns() []string { return slices.Sorted(maps.Keys(patterns)) }

// Partner is the rank with which rank 0 exchanges messages in a benchmark whose ranks work in pairs.
func Partner(benchmark string, ranks int) (partner int, paired bool) {
	switch benchmark {
	case "pingpong", "pingping", "column", "struct":
		return 1, true
	case "bw", "mbw_mr":
		return ranks / 2, true
	}
	return 0, false
}

// p2pRepetitions are many for small messages, and no more than move 256 MiB.
func (c *Config) p2pRepetitions(n int) int {
	most := 20_000
	if c.Benchmark == "bw" || c.Benchmark == "mbw_mr" || c.Benchmark == "ring" {
		most = 2_000
	}
	if n > 8<<10 {
		most = min(most, 1000)
	}
	p := patterns[c.Benchmark]
	return max(20, min(most, 256<<20/max(n, 1)/int(p.units)/p.streams(c.Ranks)))
}

// addRates says how many messages the time is for.
func (r *Result) addRates(p pattern) {
	if r.Avg > 0 {
		r.MessagesPerS = float64(p.streams(r.Ranks)) * 1e6 / r.Avg
		r.MBytesPerS = r.MessagesPerS * float64(r.Bytes) / 1e6
	}
}

// streams is how many ranks send at a time.
func (p pattern) streams(ranks int) int {
	switch p.senders {
	case ofPairs:
		return max(ranks/2, 1)
	case allOthers:
		return max(ranks-1, 1)
	}
	return 1
}

func (r *Result) addSettings(who runner.Contestant) {
	if who.IsPeer() || who.IsLoop() {
		return
	}
	if t, err := who.Settings.Resolve(); err == nil {
		r.EagerLimit, r.RingBlock, r.Spin = t.EagerLimit, t.RingBlock, t.Spin
	}
}
