package recorder

import "github.com/gopvas/gopvas/trace"

// gapOf measures what recording adds to the time between two calls, in ticks: the least of many gaps
// between calls that follow each other at once. It is the supervisor's measurement for all ranks,
// on memory of its own.
func gapOf(c clock) uint64 {
	const calls, warm = 256, 64
	r := Recorder{
		Lane: Lane{clock: c, limit: calls, mask: 1<<32 - 1, records: make([]trace.Record, calls), lane: new(lane)},
		long: 1 << 40, sites: sites{off: true}, contexts: map[uint32]uint16{0: 1}, number: 1,
	}
	least := uint64(1) << 40
	for r.next < calls-ahead {
		start := r.Begin()
		if r.next > warm {
			least = min(least, start-r.last)
		}
		r.Call(trace.Recv, start, &What{})
	}
	return least
}
