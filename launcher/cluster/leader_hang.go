package cluster

import (
	"slices"
	"time"

	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/sys"
	"github.com/gopvas/gopvas/launcher"
	"github.com/gopvas/gopvas/launcher/internal/hang"
	"github.com/gopvas/gopvas/launcher/internal/part"
)

// The report of a hang of a job on several nodes, and the looks for a deadlock. The leader asks all agents at the same
// time, and writes the records that they answer with into the mirror: a root block of all ranks. From the mirror it
// prints one report and proves a deadlock, as the supervisor of one node does from the job's root block.

// askHang asks all agents what their ranks do, unless a question is open. It calls then, if it is not nil, after the
// report: a job that is to end must not end ranks before they were reported.
func (l *leader) askHang(then func()) {
	if then != nil {
		l.hang.then = append(l.hang.then, then)
	}
	if l.hang.asked {
		return
	}
	l.hang.asked, l.hang.late = true, time.After(hang.AnswerTime)
	for _, a := range l.agents {
		if !a.over && a.alive > 0 {
			l.hang.open = append(l.hang.open, a)
			a.order(part.Order{Hang: true})
		}
	}
	if len(l.hang.open) == 0 {
		l.sayHang()
	}
}

// tellDoing takes an answer to a question, or to a look.
func (a *remote) tellDoing(d *part.Doing) {
	l := a.l
	a.restore(d.Records)
	if n := len(a.ranks); len(d.Pids) == n && len(d.Stopped) == n && len(d.Places) == n {
		for i, rank := range a.ranks {
			l.pids[rank], l.stopped[rank], l.places[rank] = d.Pids[i], d.Stopped[i], d.Places[i]
		}
	}
	switch {
	case d.Look == 0:
		l.answered(a)
	case d.Look == l.lookout.Number:
		l.looked(a, d.Watched)
	}
}

// restore notes an agent's records of its ranks.
func (a *remote) restore(records []job.Record) {
	now := time.Duration(sys.Monotonic())
	for _, c := range records {
		if a.has(c.Rank) {
			a.l.mirror.Restore(c, now)
		}
	}
}

// answered is told that an agent has answered, or has ended.
func (l *leader) answered(a *remote) {
	i := slices.Index(l.hang.open, a)
	if i < 0 {
		return
	}
	if l.hang.open = slices.Delete(l.hang.open, i, i+1); len(l.hang.open) == 0 {
		l.sayHang()
	}
}

// sayHang prints the report, if one is asked for, with the answers that there are.
func (l *leader) sayHang() {
	if !l.hang.asked {
		return
	}
	for _, a := range l.hang.open {
		l.say("node %s does not say in time what its ranks do", a.name)
	}
	then := l.hang.then
	l.hang = hangQuestion{}
	l.report(l.mirror.Snapshot(), nil)
	for _, f := range then {
		f()
	}
}

// report prints the report of all ranks.
func (l *leader) report(views []job.View, proof *job.Proof) {
	who := make([]hang.Rank, l.size)
	for rank, v := range views {
		who[rank] = hang.Rank{
			World: hang.OfWorld(l.mirror.World(rank), rank),
			Node:  l.agents[l.node[rank]].name, Pid: l.pids[rank], Stopped: l.stopped[rank],
			Place:   hang.PlaceOf(&v, l.places[rank]),
			Program: l.apps[rank].Program,
		}
	}
	hang.Tell(views, who, proof, l.job.HangFile, l.say, &l.messages)
}

// look is the next step of the lookout: a look, or the end of a look that was not answered in time.
func (l *leader) look() {
	o := &l.lookout
	waiting := 0
	for _, a := range l.agents {
		if !a.over {
			waiting += a.waiting
		}
	}
	switch {
	case l.fate.Starting || l.over():
		o.Rest()
	case o.Asked:
		o.GiveUp()
	case o.Wants(waiting, l.alive()):
		l.askLook()
	default:
		o.Rest()
	}
}

// askLook orders all agents to look.
func (l *leader) askLook() {
	n := l.lookout.Ask()
	l.lookout.Tick = time.After(hang.AnswerTime + l.lookout.After)
	l.lookers, l.watched = l.lookers[:0], false
	for _, a := range l.agents {
		if !a.over {
			l.lookers = append(l.lookers, a)
			a.order(part.Order{Look: n})
		}
	}
}

// looked is told that an agent has told the answers to the last look, or has ended. After the last agent it reads the
// answers.
func (l *leader) looked(a *remote, watched bool) {
	i := slices.Index(l.lookers, a)
	if i < 0 {
		return
	}
	l.watched = l.watched || watched
	if l.lookers = slices.Delete(l.lookers, i, i+1); len(l.lookers) > 0 || !l.lookout.Asked || l.over() {
		return
	}
	views := l.mirror.Snapshot()
	proof, again := l.lookout.Read(views, time.Duration(sys.Monotonic()))
	switch {
	case again:
		l.askLook()
	case len(proof.Ranks) > 0 && l.watched:
		l.lookout.GiveUp()
	case len(proof.Ranks) > 0:
		l.lookout.Tick = nil
		l.report(views, &proof)
		if l.job.Deadlock != launcher.DeadlockReport {
			l.fate.Deadlocked()
		}
	}
}
