package exchange

import (
	"math"
	"slices"
)

// wrap lays all messages end to end, and gives each device in turn as much as it can send in a
// time T: the next bytes, as far as they go. T is the least time in which the devices take
// all. A device whose time is up for less than the latency of one more piece gets none.
//
// A later begin never makes a device end earlier, and neither does a longer T. So the least T
// is found by bisection. The bytes in proportion to the bandwidths are McNaughton's cut; the
// latencies of the pieces only move it. A message that lies between two devices has two parts: one sends its part at
// the end of T, the next one at the begin. They never do so at the same time if the message takes no longer than T on
// its link, with the latencies of both.
func (p *Planner) wrap(plan *Plan, sizes []int, devices []Device) {
	p.plain(plan, sizes, devices)
	plan.predict(devices, p.Link)
	short, enough := p.bound(sizes, devices), plan.Time
	if short >= enough*(1-1e-9) {
		return // no cut helps
	}
	for range bisections {
		middle := (short + enough) / 2
		if p.fill(nil, sizes, devices, middle) {
			enough = middle
		} else {
			short = middle
		}
	}
	plain := plan.Time
	plan.reset(Wrap, len(devices))
	whole := p.fill(plan, sizes, devices, enough)
	if plan.predict(devices, p.Link); !whole || plan.Time >= plain {
		plan.reset(Wrap, len(devices))
		p.plain(plan, sizes, devices)
	}
}

// bisections are enough for a part in a million.
const bisections = 24

// bound returns a time that no plan beats: all bytes in proportion to the bandwidths.
func (p *Planner) bound(sizes []int, devices []Device) float64 {
	bytes, all := 0, 0.0
	for _, n := range sizes {
		bytes += n
	}
	for _, d := range devices {
		all += d.Bandwidth
	}
	least := float64(bytes) * 1e9 / all
	if p.Link > 0 {
		slowest := devices[0]
		for _, d := range devices {
			slowest.Latency = max(slowest.Latency, d.Latency)
			slowest.Bandwidth = min(slowest.Bandwidth, d.Bandwidth)
		}
		longest := float64(slices.Max(sizes))
		least = max(least, longest*1e9/min(p.Link, slowest.Bandwidth)+2*slowest.Latency)
	}
	return least
}

// fill gives each device in turn what it can send within a time. It tells whether that is all.
// The plan may be nil.
func (p *Planner) fill(plan *Plan, sizes []int, devices []Device, within float64) bool {
	message, from := 0, 0
	for i, d := range devices {
		for left := within - d.Busy; ; {
			for message < len(sizes) && from == sizes[message] {
				message, from = message+1, 0
			}
			if message == len(sizes) {
				return true
			}
			if left -= d.Latency; left <= 0 {
				break
			}
			to := p.reach(from, sizes[message], left*d.Bandwidth/1e9)
			if plan != nil {
				plan.add(i, message, from, to)
			}
			left -= float64(to-from) * 1e9 / d.Bandwidth
			from = to
			if to < sizes[message] {
				break
			}
		}
	}
	for message < len(sizes) && from == sizes[message] {
		message, from = message+1, 0
	}
	return message == len(sizes)
}

// reach returns how far a device comes that can send so many more bytes of a message. It stops
// at a multiple of Unit.
func (p *Planner) reach(from, size int, bytes float64) int {
	if bytes+1e-6 >= float64(size-from) {
		return size
	}
	unit := max(p.Unit, 1)
	return max(from, (from+int(math.Floor(bytes+1e-6)))/unit*unit)
}
