package launcher

import (
	"slices"
	"time"

	"github.com/gopvas/gopvas/internal/sys"
	"github.com/gopvas/gopvas/job"
)

// The report of a hang of a job on several nodes. The leader asks all agents at a time, and
// notes their answers in the mirror. The mirror is like the root block of a job on one node.
// From it the leader prints one report of all ranks.

// hangQuestion is the state of a question that is underway.
type hangQuestion struct {
	open []*remote // have not answered; nil: nothing is asked
	pids []int     // by rank; nil: nothing is asked
	late <-chan time.Time
}

// hangTime is how long the answers may take.
const hangTime = 2 * time.Second

// askHang asks all agents what their ranks do, unless a question is open.
func (l *leader) askHang() {
	if l.hang.pids != nil {
		return
	}
	l.hang = hangQuestion{pids: make([]int, l.size), late: time.After(hangTime)}
	for _, a := range l.agents {
		if !a.over {
			l.hang.open = append(l.hang.open, a)
			a.order(order{Hang: true})
		}
	}
	if len(l.hang.open) == 0 {
		l.sayHang()
	}
}

// tellDoing takes an answer.
func (a *remote) tellDoing(d *doing) {
	a.restore(d.Records)
	if l := a.l; l.hang.pids != nil && len(d.Pids) == a.ranks {
		copy(l.hang.pids[a.first:], d.Pids)
	}
	a.l.answered(a)
}

// restore notes an agent's records of its ranks.
func (a *remote) restore(records []job.Record) {
	now := time.Duration(sys.Monotonic())
	for _, c := range records {
		if c.Rank >= a.first && c.Rank < a.first+a.ranks {
			a.l.mirror.Restore(c, now)
		}
	}
}

// answered is told that an agent has answered, or will not.
func (l *leader) answered(a *remote) {
	i := slices.Index(l.hang.open, a)
	if i < 0 {
		return
	}
	if l.hang.open = slices.Delete(l.hang.open, i, i+1); len(l.hang.open) == 0 {
		l.sayHang()
	}
}

// sayHang prints the report, if one is asked for, with the answers so far.
func (l *leader) sayHang() {
	if l.hang.pids == nil {
		return
	}
	who := make([]started, l.size)
	for rank := range who {
		who[rank] = started{node: l.agents[l.node[rank]].name, pid: l.hang.pids[rank], program: l.app(rank).Program}
	}
	for _, a := range l.hang.open {
		l.say("node %s does not say in time what its ranks do", a.name)
	}
	l.hang = hangQuestion{}
	l.say(HangReport+"%s", hangReport(l.mirror.Snapshot(), who, time.Duration(sys.Monotonic())))
}
