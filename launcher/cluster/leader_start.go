package cluster

import (
	"cmp"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/linkage"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher"
	"github.com/gopvas/gopvas/launcher/internal/output"
	"github.com/gopvas/gopvas/launcher/internal/part"
	"github.com/gopvas/gopvas/launcher/internal/program"
)

// How the leader starts a job: all agents answer, then they are told the job.

// greet waits until all agents have answered. False means that the job is over.
func (l *leader) greet() bool {
	l.beginPatience()
	defer l.patience.timer.Stop()
	for !l.over() {
		if !slices.ContainsFunc(l.agents, func(a *remote) bool { return a.ready == nil }) {
			l.sayBuilds()
			return true
		}
		l.next()
	}
	for _, a := range l.agents {
		if !a.over {
			a.finish() // it has no rank
		}
	}
	return false
}

// sayBuilds says which nodes run another pvasrun than this one. They speak the same protocol, so the job runs.
func (l *leader) sayBuilds() {
	var others []string
	for _, a := range l.agents {
		if a.ready.Build != linkage.Build() {
			others = append(others, a.name+" ("+a.ready.Build+")")
		}
	}
	if others != nil {
		l.io.Say("another build of pvasrun than this one (%s) is on %s: install the same on all nodes", linkage.Build(),
			strings.Join(others, ", "))
	}
}

func (l *leader) beginPatience() {
	p := &l.patience
	p.time, p.since = cmp.Or(l.nodes.StartTime, startTime), time.Now()
	p.timer = time.AfterFunc(p.time, func() { l.post(l.tooSlow) })
}

// nextPatience is told that an agent has answered which the command has started with others. They come at a time. One
// that was killed before it spoke never does, and the command does not tell. Where one took long, the next may, too.
func (l *leader) nextPatience() {
	p := &l.patience
	p.time = max(l.nodes.Timeout, DefaultNodeTimeout, time.Since(p.since).Round(time.Second))
	p.timer.Reset(p.time)
}

func (l *leader) tooSlow() {
	for _, a := range l.agents {
		if a.ready == nil {
			a.lose(fmt.Errorf("it has not answered in time (%v): --start-timeout gives it more%s", l.patience.time,
				a.words("; it has said: ")))
		}
	}
}

// startJob tells the agents the job.
func (l *leader) startJob() {
	devices, err := l.chooseAddresses(l.agents)
	if err == nil {
		err = l.meet(devices)
	}
	if err == nil && !l.over() {
		err = l.startMeasure()
	}
	if err == nil && !l.over() {
		err = l.startParts(devices)
	}
	if err != nil {
		l.failure = err
	}
	if l.over() {
		for _, a := range l.agents {
			a.finish()
		}
	}
}

func (l *leader) startParts(devices [][]netip.Addr) error {
	images, err := l.images()
	if err != nil {
		return err
	}
	cpus, slots := 0, 0
	for _, a := range l.agents {
		cpus += a.ready.CPUs
		slots += a.capacity()
	}
	l.room = l.roomFor()
	l.openDesk(devices[0])
	for i, a := range l.agents {
		s := &start{
			Job: l.jobOf(a), Stack: sys.SoftLimit(sys.RlimitStack), Env: os.Environ(), Dir: l.dir,
			Input: a.reads(), Answers: output.Answers(l.job.Stdin), Verbose: l.job.Log != nil,
			Instruments: l.nodes.Instruments,
		}
		s.Job.Part = &part.Part{Name: a.name, Node: a.number, Ranks: a.ranks, Nodes: l.node, Devices: devices[i],
			AllNodes: len(l.agents), Key: l.key, CPUs: cpus, Places: l.room,
			Universe: cmp.Or(l.job.Universe, max(l.size, slots)), Images: images, ReportDevices: l.nodes.ReportDevices}
		a.alive = len(a.ranks)
		a.link.Post(order{Start: s})
	}
	if l.job.Stdin != nil {
		l.input, err = passInput(l.job, l.agents)
	}
	return err
}

// roomFor returns how many ranks the job has room for.
func (l *leader) roomFor() int {
	switch {
	case l.job.TraceSize > 0:
		return l.size
	case slices.ContainsFunc(l.agents, func(a *remote) bool { return a.ready.Tight }):
		return max(l.size, l.job.Universe) // the others would take their share of the job's file there
	}
	return max(l.size, l.job.Universe, job.UsualRoom)
}

// images are the programs that the agents get from here.
func (l *leader) images() (map[string][]byte, error) {
	images := map[string][]byte{}
	for i, app := range l.job.Apps {
		if p := l.List[i]; images[app.Program] == nil && (p.File != nil || l.nodes.Preload) {
			image, err := os.ReadFile(p.Path)
			if err != nil {
				return nil, &program.Error{Program: app.Program, Err: program.Cause(err)}
			}
			images[app.Program] = image
		}
	}
	return images, nil
}

// jobOf is the job as it is sent to an agent, with the ranks there.
func (l *leader) jobOf(a *remote) launcher.Job {
	j := *l.job
	j.Stdin, j.Stdout, j.Stderr, j.Settings = nil, nil, nil, l.settings()
	j.Timeout, j.HangFile = 0, "" // the leader's own
	j.Apps = nil
	at := 0 // rank at which the app begins
	for i, app := range l.job.Apps {
		first, _ := slices.BinarySearch(a.ranks, at)
		at += app.N
		end, _ := slices.BinarySearch(a.ranks, at)
		if app.N = end - first; app.N == 0 {
			continue
		}
		if p := l.List[i]; p.File == nil && !l.nodes.Preload {
			app.Program = p.Path
		}
		j.Apps = append(j.Apps, app)
	}
	return j
}
