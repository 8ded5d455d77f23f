package bench

import (
	"maps"
	"slices"
)

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

// p2pRepetitions are many for small messages, and no more than move 256 MiB.
func (c *TimedConfig) p2pRepetitions(n int) int {
	most := 20_000
	if c.Benchmark == "bw" || c.Benchmark == "mbw_mr" || c.Benchmark == "ring" {
		most = 2_000
	}
	if n > 8<<10 {
		most = min(most, 1000)
	}
	return max(20, min(most, 256<<20/max(n, 1)/int(patterns[c.Benchmark].units)))
}

// addRates says how many messages the time is for.
func (r *TimedResult) addRates(p pattern) {
	streams := 1.0
	if p.pairs {
		streams = float64(r.Ranks / 2)
	}
	if r.Avg > 0 {
		r.MessagesPerS = streams * 1e6 / r.Avg
		r.MBytesPerS = r.MessagesPerS * float64(r.Bytes) / 1e6
	}
}

func (r *TimedResult) addSettings(who Contestant) {
	if who.peer != nil || who.IsLoop() {
		return
	}
	if t, err := who.Settings.Resolve(); err == nil {
		r.EagerLimit, r.RingBlock, r.Spin = t.EagerLimit, t.RingBlock, t.Spin
	}
}
