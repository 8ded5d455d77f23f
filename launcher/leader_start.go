package launcher

import (
	"crypto/rand"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"time"

	"github.com/gopvas/gopvas/internal/job"
)

// How the leader starts a job: all agents answer, then they are told the job.

// greet waits until all agents have answered. False means that the job is over.
func (l *leader) greet() bool {
	l.patient = startTime
	l.patience = time.AfterFunc(l.patient, func() { l.post(l.tooSlow) })
	defer l.patience.Stop()
	for !l.over() {
		if !slices.ContainsFunc(l.agents, func(a *remote) bool { return a.ready == nil }) {
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

func (l *leader) over() bool { return l.fate.ending || l.fate.killed || l.failure != nil }

func (l *leader) tooSlow() {
	for _, a := range l.agents {
		if a.ready == nil {
			a.lose(fmt.Errorf("it has not answered in time (%v)", l.patient))
		}
	}
}

// startJob tells the agents the job.
func (l *leader) startJob() {
	devices, err := l.chooseAddresses()
	if err == nil {
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
	var key job.Key
	rand.Read(key[:]) // never fails
	cpus := 0
	for _, a := range l.agents {
		cpus += a.ready.CPUs
	}
	for i, a := range l.agents {
		s := &start{
			Part: partSpec{Node: a.number, First: a.first, Nodes: l.node, Host: devices[i][0],
				Devices: devices[i], Key: key, CPUs: cpus},
			Job: l.spec(a), Env: os.Environ(), Dir: l.dir, Images: images,
		}
		a.alive = a.ranks
		a.order(order{Start: s})
	}
	if l.job.Stdin != nil {
		l.input, err = passInput(l.job.Stdin, l.agents[0])
	}
	return err
}

// images are the programs that the agents get from here.
func (l *leader) images() (map[string][]byte, error) {
	images := map[string][]byte{}
	for i, app := range l.job.Apps {
		if p := l.programs[i]; images[app.Program] == nil && (p.file != nil || l.nodes.Preload) {
			image, err := os.ReadFile(p.path)
			if err != nil {
				return nil, &ProgramError{app.Program, cause(err)}
			}
			images[app.Program] = image
		}
	}
	return images, nil
}

// spec is the job with the ranks of one agent.
func (l *leader) spec(a *remote) jobSpec {
	j := l.job
	s := jobSpec{
		BTL: j.BTL, PartitionSize: j.PartitionSize, HugePages: j.HugePages, Stack: j.stackOnNodes(),
		Settings: j.nodeSettings(), Bind: j.Bind.String(),
		ReportBindings: j.ReportBindings, ReportDevices: l.nodes.ReportDevices, TagOutput: j.TagOutput,
		OutputDir: j.OutputDir,
		Deadlock:  j.Deadlock, DeadlockAfter: j.DeadlockAfter,
		Input: j.Stdin != nil, Verbose: j.Log != nil, Instruments: l.nodes.Instruments,
	}
	at := 0 // rank at which the app begins
	for i, app := range j.Apps {
		n := min(at+app.N, a.first+a.ranks) - max(at, a.first)
		at += app.N
		if n <= 0 {
			continue
		}
		app.N = n
		if p := l.programs[i]; p.file == nil && !l.nodes.Preload {
			app.Program = p.path
		}
		s.Apps = append(s.Apps, app)
	}
	return s
}
