package net

import (
	"slices"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/exchange"
)

// set is messages that are sent together, with a plan for all of them. It is made before the
// first of them is offered, and each message takes its part when it is.
type set struct {
	members []btl.Member
	sizes   []int
	taken   []bool
	left    int
	waiting int            // members that were offered and are not granted
	plan    *exchange.Plan // shared, and never changed
}

// madePlan is a plan that was made for a set, and what it was made of. A set of the same lengths
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
func (k *madePlan) fits(m *Module, sizes []int) bool {
	if !slices.Equal(k.sizes, sizes) || !slices.Equal(k.usable, m.usable) {
		return false
	}
	for i, d := range m.estimates {
		o := k.devices[i]
		if d.Busy != o.Busy || !near(d.Bandwidth, o.Bandwidth, bandwidthSlack) ||
			!near(d.Latency, o.Latency, latencySlack) {
			return false
		}
	}
	return true
}

// setPlan returns the plan of a set.
func (m *Module) setPlan(sizes []int) *exchange.Plan {
	for _, k := range m.plans {
		if k.fits(m, sizes) {
			return k.plan
		}
	}
	plan := m.plan(sizes, 1<<unitOf(slices.Max(sizes)))
	k := &madePlan{slices.Clone(sizes), slices.Clone(m.usable), slices.Clone(m.estimates),
		&exchange.Plan{Form: plan.Form, Time: plan.Time, Queues: make([][]exchange.Piece, len(plan.Queues))}}
	for i, queue := range plan.Queues {
		k.plan.Queues[i] = slices.Clone(queue)
	}
	m.plans = slices.DeleteFunc(m.plans, func(o *madePlan) bool { return slices.Equal(o.sizes, sizes) })
	if len(m.plans) == mostPlans {
		m.plans = slices.Delete(m.plans, 0, 1)
	}
	m.plans = append(m.plans, k)
	return k.plan
}

// mostSets bounds the sets of which messages have not been offered.
const mostSets = 64

// Together is that of btl.Capabilities, for several devices.
func (m *Module) Together(members []btl.Member) {
	s := &set{}
	for _, o := range members {
		if p := m.peer(o.Peer); p != nil && !p.buried && o.Bytes > m.eager {
			s.members = append(s.members, o)
			s.sizes = append(s.sizes, o.Bytes)
		}
	}
	if len(s.members) < 2 {
		return
	}
	m.measure(m.peers[s.members[0].Peer])
	m.use(func(d *device) bool {
		return slices.ContainsFunc(s.members, func(o btl.Member) bool {
			return !m.peers[o.Peer].paths[d.number].failed()
		})
	})
	s.plan = m.setPlan(s.sizes)
	s.taken, s.left = make([]bool, len(s.members)), len(s.members)
	if len(m.sets) == mostSets {
		m.sets = slices.Delete(m.sets, 0, 1) // its messages are planned one by one
	}
	m.sets = append(m.sets, s)
}

// setOf returns the set that an offer belongs to, and which of its messages it is.
func (m *Module) setOf(rank int, h *btl.Header, bytes int) (*set, int) {
	for i, s := range m.sets {
		for k, o := range s.members {
			if s.taken[k] || o.Peer != rank || o.Bytes != bytes || o.Tag != h.Tag || o.Context != h.Context {
				continue
			}
			s.taken[k] = true
			s.waiting++
			if s.left--; s.left == 0 {
				m.sets = slices.Delete(m.sets, i, i+1)
			}
			return s, k
		}
	}
	return nil, 0
}
