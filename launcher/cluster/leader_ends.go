package cluster

import (
	"errors"
	"time"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/launcher/internal/fate"
	"github.com/gopvas/gopvas/launcher/internal/part"
)

// ended is told of the end of a rank. All agents hear of it from here, this one too: see supervisor.markGone.
func (a *remote) ended(e *part.RankEnd) {
	if !a.has(e.Rank) || a.gone[e.Rank] {
		return
	}
	a.gone[e.Rank] = true
	a.l.ends.Add(a.number, e)
	a.l.seeToEnds()
}

// seeToEnds goes on with the ends until agents have to be asked.
func (l *leader) seeToEnds() {
	doubtful := func(e *part.RankEnd) bool { return len(l.worlds) > 1 && l.fate.Fails(e.Status, e.State) }
	for {
		e, ask, ok := l.ends.Next(doubtful)
		switch {
		case !ok:
			return
		case ask:
			w, live := l.mirror.World(e.Rank), l.now().Live
			l.ends.Ask(live)
			for _, node := range live {
				l.agents[node].order(part.Order{Links: &w})
			}
			return
		}
		l.rankGone(e)
	}
}

// saysLinked is told whether a node links the world of the end that is seen to. A node that was lost does not.
func (a *remote) saysLinked(linked bool) {
	e, alone, ok := a.l.ends.Answered(a.number, linked)
	switch {
	case !ok:
		return
	case alone:
		a.l.worldFailed(e)
	default:
		a.l.rankGone(e)
	}
	a.l.seeToEnds()
}

// worldFailed ends a world after the failure of one of its ranks.
func (l *leader) worldFailed(e part.NodeEnd) {
	w := l.mirror.World(e.Rank)
	l.ends.EndWorld(w)
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

// rankGone tells all of the end of a rank.
func (l *leader) rankGone(e part.NodeEnd) {
	state, apart, from := e.State, l.ends.Ending(e.Rank), l.agents[e.Node]
	if apart {
		state = job.StateFinal
	}
	if !from.over {
		from.alive--
	}
	l.order(part.Order{News: part.News{Gone: []part.RankGone{{Rank: e.Rank, State: state}}}})
	l.watch.Gone(e.Rank, e.Pid)
	l.mirror.SetState(e.Rank, state)
	l.mirror.MarkGone(e.Rank)
	l.fate.Hostname = from.name
	l.desk.Gone(e.Rank, l.fate.Named(e.Rank, e.Pid, l.apps[e.Rank].Program, fate.Describe(e.Status)))
	l.desk.Others.Ends(e.Rank)
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
