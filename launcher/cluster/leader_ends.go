package cluster

import (
	"errors"
	"slices"
	"time"

	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/launcher/internal/fate"
	"github.com/gopvas/gopvas/launcher/internal/part"
)

// Ends of ranks. In a job of several worlds a failure may concern its own world alone: then no rank of that has a
// communicator with ranks of others. Each node knows it of its own ranks, so the leader asks all. Meanwhile nobody is
// told of the end, nor of those that come after it: they may be its consequences.

// ended is told of the end of a rank. All agents hear of it from here, this one too: see supervisor.markGone.
func (a *remote) ended(e *part.RankEnd) {
	if !a.has(e.Rank) || a.gone[e.Rank] {
		return
	}
	a.gone[e.Rank] = true
	l := a.l
	l.ends.queue = append(l.ends.queue, rankEnd{a, e})
	if len(l.ends.asked) == 0 {
		l.seeToEnds()
	}
}

// seeToEnds goes on with the ends until agents have to be asked.
func (l *leader) seeToEnds() {
	for q := &l.ends; len(q.queue) > 0; q.queue = q.queue[1:] {
		e := q.queue[0]
		if len(l.worlds) > 1 && !q.ending[e.Rank] && l.fate.Fails(e.Status, e.State) {
			l.askLinks(l.mirror.World(e.Rank))
			return
		}
		l.rankGone(e)
	}
}

func (l *leader) askLinks(w job.World) {
	l.ends.linked = false
	for _, a := range l.agents {
		if !a.over {
			l.ends.asked = append(l.ends.asked, a)
			a.order(part.Order{Links: &w})
		}
	}
}

// saysLinked is told whether a node links the world of the end that is seen to. A node that was lost does not.
func (a *remote) saysLinked(linked bool) {
	q := &a.l.ends
	i := slices.Index(q.asked, a)
	if i < 0 {
		return
	}
	q.linked = q.linked || linked
	if q.asked = slices.Delete(q.asked, i, i+1); len(q.asked) > 0 {
		return
	}
	e := q.queue[0]
	q.queue = q.queue[1:]
	if !q.linked {
		a.l.worldFailed(e)
	} else {
		a.l.rankGone(e)
	}
	a.l.seeToEnds()
}

// worldFailed ends a world after the failure of one of its ranks.
func (l *leader) worldFailed(e rankEnd) {
	w := l.mirror.World(e.Rank)
	l.endingWorld(w)
	l.rankGone(e)
	others := 0
	for _, a := range l.agents {
		for _, rank := range a.ranks {
			if w.Has(rank) && !a.gone[rank] {
				others++
			}
		}
	}
	l.order(part.Order{EndWorld: &w})
	l.fate.WorldFailed(&fate.Failure{Rank: e.Rank, Pid: e.Pid, Program: l.apps[e.Rank].Program, Status: e.Status,
		State: e.State}, others)
}

// endingWorld notes that the ends of a world's ranks concern no other world.
func (l *leader) endingWorld(w job.World) {
	for rank := w.First; rank < w.First+w.Size; rank++ {
		l.ends.ending[rank] = true
	}
}

// rankGone tells all of the end of a rank.
func (l *leader) rankGone(e rankEnd) {
	state, apart := e.State, l.ends.ending[e.Rank]
	if apart {
		state = job.StateFinal
	}
	if !e.a.over {
		e.a.alive--
	}
	l.order(part.Order{Gone: []part.RankGone{{Rank: e.Rank, State: state}}})
	l.watch.Gone(e.Rank, e.Pid)
	l.mirror.SetState(e.Rank, state)
	l.mirror.MarkGone(e.Rank)
	l.fate.Hostname = e.a.name
	l.names.Gone(e.Rank, l.mirror.World(e.Rank),
		l.fate.Named(e.Rank, e.Pid, l.apps[e.Rank].Program, fate.Describe(e.Status)))
	if !apart {
		l.fate.RankEnded(e.Rank, e.Pid, l.apps[e.Rank].Program, e.Status, state)
	}
}

// Killed ranks. The supervisor of a node waits for them as long as they come nearer to their ends, then it gives up. It
// tells the leader each time that it begins to wait (part.Killed). So the leader loses a node only if its supervisor
// has not come to an end in its time. That is counted in signs of life of its agent, which is the same process: one
// that gets no CPU sends none. Whether the node is silent decides link.beat.

// awaitKilled begins to wait for the agents, which have been told to kill their ranks.
func (l *leader) awaitKilled() {
	l.killLook = time.Tick(time.Second)
	for _, a := range l.agents {
		a.waitsForKilled()
	}
}

// waitsForKilled is told that the agent begins to wait for killed processes.
func (a *remote) waitsForKilled() { a.waitsBy = a.beats.Load() }

// loseUnended loses the agents whose time is over.
func (l *leader) loseUnended() {
	most := int64((fate.KillTime+time.Second)/beatEvery(l.nodes.Timeout)) + 1
	for _, a := range l.agents {
		if !a.over && a.beats.Load()-a.waitsBy > most {
			a.lose(errors.New("it does not end its ranks"))
		}
	}
}
