package route

import "github.com/gopvas/gopvas/btl"

// planner is a further module that makes one plan for messages that are sent together.
type planner struct {
	together func([]btl.Member) // nil: there is none
	number   uint8              // of the module
	members  []btl.Member       // scratch of Together
}

// use makes a module the planner, if it plans and no other does.
func (p *planner) use(together func([]btl.Member), number uint8) {
	if together != nil && p.together == nil {
		p.together, p.number = together, number
	}
}

// Plans tells whether it pays to say which messages are sent together: see Together.
func (t *Table) Plans() bool { return t.planner.together != nil }

// Together says that standard messages are about to be sent together: a module with several network devices then makes
// one plan for all of them. It sends nothing.
func (t *Table) Together(messages []btl.Member) {
	p := &t.planner
	if p.together == nil {
		return
	}
	p.members = p.members[:0]
	for _, m := range messages {
		if uint(m.Peer) < uint(t.places) && t.By(m.Peer) == p.number {
			p.members = append(p.members, m)
		}
	}
	p.together(p.members)
}
