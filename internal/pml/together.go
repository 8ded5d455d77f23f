package pml

import "github.com/gopvas/gopvas/btl"

// Plans tells whether it pays to say which messages are sent together: see Together.
func (e *Engine) Plans() bool { return e.together != nil }

// Together says that standard messages are about to be sent together, by the caller: a
// module with several network devices then makes one plan for all of them. It sends nothing.
func (e *Engine) Together(messages []btl.Member) {
	if e.together == nil {
		return
	}
	e.lock()
	e.Inside().Together(messages)
	e.unlock()
}

// Together is Engine.Together.
func (in Inside) Together(messages []btl.Member) {
	e := in.e
	if e.together == nil {
		return
	}
	e.members = e.members[:0]
	for _, o := range messages {
		if uint(o.Peer) < uint(e.size) && o.Peer != e.rank && e.route(o.Peer) == e.planned {
			e.members = append(e.members, o)
		}
	}
	e.together(e.members)
}
