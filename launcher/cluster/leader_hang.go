package cluster

import (
	"github.com/gopvas/gopvas/launcher"
	"github.com/gopvas/gopvas/launcher/internal/hang"
	"github.com/gopvas/gopvas/launcher/internal/part"
	"github.com/gopvas/gopvas/launcher/internal/watch"
)

// The report of a hang of a job on several nodes, and the looks for a deadlock: the leader tells its watch what
// happens, and takes the steps that this returns.

// askHang asks all agents what their ranks do. timedOut: the job ends by its time-out then.
func (l *leader) askHang(timedOut bool) {
	var nodes []int
	for _, a := range l.agents {
		if !a.over && a.alive > 0 {
			nodes = append(nodes, a.number)
		}
	}
	l.act(l.watch.Ask(nodes, timedOut))
}

// look is the next step of the lookout.
func (l *leader) look() {
	waiting := 0
	for _, a := range l.agents {
		if !a.over {
			waiting += a.waiting
		}
	}
	l.act(l.watch.Look(l.fate.Starting, waiting, l.alive(), l.now()))
}

// now is what the watch is told of the leader.
func (l *leader) now() (now watch.Now) {
	for _, a := range l.agents {
		if !a.over {
			now.Live = append(now.Live, a.number)
		}
	}
	now.Over = l.over()
	return now
}

// act takes the steps of the watch.
func (l *leader) act(steps []watch.NodeStep) {
	for _, step := range steps {
		for _, node := range step.Ask {
			l.agents[node].order(part.Order{Look: step.Look, Hang: step.Look == 0})
		}
		for _, node := range step.Silent {
			l.io.Say("node %s does not say in time what its ranks do", l.agents[node].name)
		}
		if step.Report != nil {
			l.report(step.Report)
		}
		if step.TimedOut {
			l.fate.TimedOut(l.job.Timeout)
		}
	}
}

// report prints the report of all ranks. A proved deadlock ends the job, unless another cause has meanwhile.
func (l *leader) report(r *watch.Report) {
	if r.Proof != nil && l.over() {
		return
	}
	for rank := range r.Who {
		r.Who[rank].Node, r.Who[rank].Program = l.agents[l.node[rank]].name, l.apps[rank].Program
	}
	hang.Tell(r.Views, r.Who, r.Proof, l.job.HangFile, l.io.Say, &l.io.Queue)
	if r.Proof != nil && l.job.Deadlock != launcher.DeadlockReport {
		l.fate.Deadlocked()
	}
}
