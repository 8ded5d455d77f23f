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
	plan    exchange.Plan
}

// mostSets bounds the sets of which messages have not been offered.
const mostSets = 64

// Plans implements btl.Planner.
func (m *Module) Plans() bool { return m.several() }

// Together implements btl.Planner.
func (m *Module) Together(members []btl.Member) {
	if !m.several() {
		return
	}
	s := &set{}
	total := 0
	for _, o := range members {
		if p := m.peer(o.Peer); p != nil && !p.buried && o.Bytes > m.eager {
			s.members = append(s.members, o)
			s.sizes = append(s.sizes, o.Bytes)
			total += o.Bytes
		}
	}
	if len(s.members) < 2 {
		return
	}
	unit := unitOf(slices.Max(s.sizes))
	m.measure(m.peers[s.members[0].Peer])
	plan := m.plan(nil, s.sizes, 1<<unit)
	s.plan = exchange.Plan{Form: plan.Form, Time: plan.Time, Queues: make([][]exchange.Piece, len(plan.Queues))}
	for i, queue := range plan.Queues {
		s.plan.Queues[i] = slices.Clone(queue)
	}
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
			if s.left--; s.left == 0 {
				m.sets = slices.Delete(m.sets, i, i+1)
			}
			return s, k
		}
	}
	return nil, 0
}
