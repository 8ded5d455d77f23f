package devices

import (
	"slices"
	"time"

	"github.com/gopvas/gopvas/exchange"
	"github.com/gopvas/gopvas/internal/msg/btl/net/landing"
)

// plans makes plans by what is known of the devices.
type plans struct {
	devices []*device // all
	form    exchange.Form

	planner   exchange.Planner
	usable    []*device         // of the next plan
	estimates []exchange.Device // of them
	made      []*madePlan       // of groups, the one that was made last at the end
	best      best
}

// best is what the best devices have turned out to be.
type best struct {
	rate    float64 // the highest, 0: none is known
	latency float64 // the least, likewise
}

// startBandwidth and startLatency are taken until they are measured.
const (
	startBandwidth = 125e6
	startLatency   = 100e3
)

// estimate is the device as the planner sees it: what is known of it, and for how long what
// it has to send already keeps it busy.
func (d *device) estimate() exchange.Device {
	d.mu.Lock()
	defer d.mu.Unlock()
	e := exchange.Device{Bandwidth: d.best.alike(&d.sample), Latency: d.latency}
	switch nearest := d.best.latency; {
	case nearest == 0:
		e.Latency = startLatency
	case d.latency <= nearest*unlikeLatency:
		e.Latency = nearest
	}
	if n := d.load + d.waiting; n >= busyLeast {
		e.Busy = float64(n) * 1e9 / e.Bandwidth
	}
	return e
}

// busyLeast is from how many bytes on a device is busy. Less may make no difference to plans: then
// those of all ranks stay alike.
const busyLeast = 16 << 10

// likeness is how much slower than the fastest one a device may have been to be taken for
// equal. Ranks with equal devices then make equal plans, by which each device receives as much as
// it sends. With plans that differ at random receivers would be slower, and so seem the devices.
const likeness = 0.67

// unlikeLatency is how many times the least latency of a device must be to be taken for different, for
// the same reason. A round trip is measured on a busy node, too.
const unlikeLatency = 4

// alike returns the bandwidth that a device is taken to have. It is slower than the fastest
// one only if that has been seen several times and lately: what is not used is tried again.
func (b *best) alike(s *sample) float64 {
	rate := s.rate()
	switch {
	case b.rate == 0:
		return startBandwidth
	case rate >= likeness*b.rate || time.Since(s.oldest()) > sampleLife:
		return b.rate
	}
	return rate
}

// measure takes note of what the devices have turned out to be, before a plan is made. Their
// latencies are those to a peer.
func (k *plans) measure(p *Peer) {
	k.best = best{}
	for _, d := range k.devices {
		handle, latency := p.paths[d.number].handle, 0.0
		if handle != nil {
			if trip := handle.Flow().LeastRoundTrip; trip > 0 { // else nobody has answered
				latency = pieceCost + float64(trip)/2
			}
		}
		d.mu.Lock()
		k.best.rate = max(k.best.rate, d.sample.rate())
		if latency > 0 {
			d.latency = latency
		}
		if d.latency > 0 && (k.best.latency == 0 || d.latency < k.best.latency) {
			k.best.latency = d.latency
		}
		d.mu.Unlock()
	}
}

// pieceCost is what a piece costs besides half a round trip, in ns.
const pieceCost = 50e3

// plan makes a plan for the devices that use has chosen.
func (k *plans) plan(sizes []int, unit int) *exchange.Plan {
	k.planner.Unit = unit
	plan := k.planner.Make(k.form, sizes, k.estimates)
	if len(k.usable) < len(k.devices) {
		k.spread(plan)
	}
	return plan
}

// use chooses the devices for a plan, and estimates them.
func (k *plans) use(reaches func(d *device) bool) {
	k.estimates, k.usable = k.estimates[:0], k.usable[:0]
	for _, d := range k.devices {
		if reaches(d) {
			k.usable = append(k.usable, d)
		}
	}
	if len(k.usable) == 0 {
		k.usable = append(k.usable, k.devices...)
	}
	for _, d := range k.usable {
		k.estimates = append(k.estimates, d.estimate())
	}
}

// spread turns a plan for the usable devices into one for all.
func (k *plans) spread(plan *exchange.Plan) {
	queues := make([][]exchange.Piece, len(k.devices))
	for i, d := range k.usable {
		queues[d.number] = plan.Queues[i]
	}
	plan.Queues = queues
}

// madePlan is a plan that was made for a group, and what it was made of. A group of the same lengths
// has the same plan as long as the devices are much the same: so that of a persistent operation is
// made in the first start only.
type madePlan struct {
	sizes   []int
	usable  []*device
	devices []exchange.Device // estimates
	plan    *exchange.Plan
}

// mostPlans bounds the plans that are kept.
const mostPlans = 16

// Estimates that differ by no more than these shares make no other plan.
const (
	bandwidthSlack = 0.05
	latencySlack   = 0.5
)

// near tells whether a number differs from another one by no more than a share of that.
func near(a, b, share float64) bool { return a >= b*(1-share) && a <= b*(1+share) }

// fits tells whether the plan is one for these lengths and the devices that use has chosen.
func (k *madePlan) fits(of *plans, sizes []int) bool {
	if !slices.Equal(k.sizes, sizes) || !slices.Equal(k.usable, of.usable) {
		return false
	}
	for i, d := range of.estimates {
		o := k.devices[i]
		if d.Busy != o.Busy || !near(d.Bandwidth, o.Bandwidth, bandwidthSlack) ||
			!near(d.Latency, o.Latency, latencySlack) {
			return false
		}
	}
	return true
}

// shared returns the plan of a group.
func (k *plans) shared(sizes []int) *exchange.Plan {
	for _, o := range k.made {
		if o.fits(k, sizes) {
			return o.plan
		}
	}
	plan := k.plan(sizes, 1<<landing.UnitOf(slices.Max(sizes)))
	o := &madePlan{slices.Clone(sizes), slices.Clone(k.usable), slices.Clone(k.estimates),
		&exchange.Plan{Form: plan.Form, Time: plan.Time, Queues: make([][]exchange.Piece, len(plan.Queues))}}
	for i, queue := range plan.Queues {
		o.plan.Queues[i] = slices.Clone(queue)
	}
	k.made = slices.DeleteFunc(k.made, func(p *madePlan) bool { return slices.Equal(p.sizes, sizes) })
	if len(k.made) == mostPlans {
		k.made = slices.Delete(k.made, 0, 1)
	}
	k.made = append(k.made, o)
	return o.plan
}
