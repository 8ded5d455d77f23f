package cluster

import (
	"slices"
	"syscall"

	"github.com/gopvas/gopvas/launcher/internal/part"
)

// A pause of the job. The leader sends the order to all agents, and stops when each agent was told or lost. The order
// leaves only after all that was queued before it, which may take long: a node may be slow to take a program, or dead.
// Meanwhile the leader serves events.

// pause begins to stop the ranks, and then this process until it is continued.
func (l *leader) pause() {
	if l.pausing {
		return
	}
	l.pausing = true
	for _, a := range l.agents {
		if a.over {
			continue
		}
		a.untold = true
		a.link.Put(func() {
			// An error shows in the other direction.
			_ = a.link.Send(order{Order: part.Order{Signal: syscall.SIGTSTP}, Pause: true})
			go l.post(func() {
				a.untold = false
				l.stopWhenTold()
			})
		})
	}
	l.stopWhenTold()
}

// stopWhenTold stops this process if it is to pause, and no agent is left to be told.
func (l *leader) stopWhenTold() {
	if !l.pausing || slices.ContainsFunc(l.agents, func(a *remote) bool { return a.untold && !a.over }) {
		return
	}
	l.pausing = false
	if err := l.stop(); err != nil {
		l.io.Say("pause: %v", err)
	}
	l.order(part.Order{Signal: syscall.SIGCONT})
}
