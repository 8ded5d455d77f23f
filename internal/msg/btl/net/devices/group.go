package devices

import (
	"slices"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/exchange"
)

// Member is a message of some that are sent together.
type Member struct {
	btl.Member
	To *Peer
}

// group is messages that are sent together, with a plan for all of them. It is made before the first of them is
// offered, and each message takes its part when it is.
type group struct {
	members []Member
	sizes   []int
	taken   []bool
	left    int
	waiting int            // members that were offered and are not granted
	plan    *exchange.Plan // shared, and never changed
}

// mostGroups bounds the groups of which messages have not been offered.
const mostGroups = 64

// Together announces messages that will be offered.
func (s *Set) Together(members []Member) {
	if len(members) < 2 {
		return
	}
	g := &group{members: members, taken: make([]bool, len(members)), left: len(members)}
	for _, o := range members {
		g.sizes = append(g.sizes, o.Bytes)
	}
	s.plans.measure(members[0].To)
	s.plans.use(func(d *device) bool {
		return slices.ContainsFunc(members, func(o Member) bool { return !o.To.paths[d.number].failed() })
	})
	g.plan = s.plans.shared(g.sizes)
	if len(s.groups) == mostGroups {
		s.groups = slices.Delete(s.groups, 0, 1) // its messages are planned one by one
	}
	s.groups = append(s.groups, g)
}

// Join has a message that is offered be of the group that it was announced in, if it was.
func (s *Set) Join(c *Cargo, h *btl.Header, bytes int) {
	for i, g := range s.groups {
		for k, o := range g.members {
			if g.taken[k] || o.To != c.Peer || o.Bytes != bytes || o.Tag != h.Tag || o.Context != h.Context {
				continue
			}
			g.taken[k] = true
			g.waiting++
			if g.left--; g.left == 0 {
				s.groups = slices.Delete(s.groups, i, i+1)
			}
			c.group, c.member = g, k
			return
		}
	}
}
