package cluster

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher"
	"github.com/gopvas/gopvas/launcher/internal/fate"
	"github.com/gopvas/gopvas/launcher/internal/host"
	"github.com/gopvas/gopvas/launcher/internal/part"
	"github.com/gopvas/gopvas/launcher/internal/program"
	"github.com/gopvas/gopvas/launcher/internal/streams"
	"github.com/gopvas/gopvas/launcher/internal/watch"
)

// Run runs a job on several nodes, and returns when all agents have ended, or were
// lost, and all output was passed on. Most of Run's description holds. The program must
// answer the command "node" by NodeMain. Of Job, Hold and Started are not called. What Finished
// gets has the records of all ranks.
//
// A node whose agent has ended or is silent is lost, which ends the job with code 1. An agent
// that does not hear the leader ends its ranks at once.
func Run(ctx context.Context, j launcher.Job, n Nodes) (*launcher.Result, error) {
	defer fate.CatchPipe()()
	host.ShortenSlices()
	l, err := newLeader(ctx, &j, n)
	if err != nil {
		return nil, err
	}
	defer l.close()
	if err := l.startAgents(); err != nil {
		return nil, err
	}
	defer l.endAgents()
	if l.greet() {
		l.startJob()
	}
	for l.live() > 0 {
		l.next()
		l.serveRequests()
	}
	l.leaveOthers()
	return l.result(ctx)
}

func newLeader(ctx context.Context, j *launcher.Job, n Nodes) (*leader, error) {
	if err := j.CheckApps(); err != nil {
		return nil, err
	}
	if len(n.Hosts) == 0 {
		return nil, errors.New("launcher: nodes: no host is given")
	}
	if n.Timeout == 0 {
		n.Timeout = DefaultNodeTimeout
	}
	of, err := n.deal(j.Total())
	if err != nil {
		return nil, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("launcher: %w", err)
	}
	size := j.Total()
	var names []string
	for _, app := range j.Apps {
		names = append(names, app.Program)
	}
	found, err := program.FindAll(ctx, names, (*part.Part)(nil).Image, j.Signals, j.Stderr)
	if err != nil {
		return nil, err
	}
	l := &leader{
		job: j, size: size, List: found, nodes: n, dir: dir, events: make(chan func()),
		io:       streams.New(streams.Config{Stdout: j.Stdout, Stderr: j.Stderr}),
		canceled: ctx.Done(), done: make(chan struct{}),
		stop:       func() error { return sys.RaiseDefault(syscall.SIGTSTP) },
		lateWorlds: lateWorlds{worlds: []job.World{{Size: size, Parent: -1}}},
	}
	rand.Read(l.key[:]) // never fails
	l.fate = fate.Fate{Starting: true,
		Effects: fate.Effects{Alive: l.alive, Signal: l.signal, Grace: l.endRanks, Say: l.io.Say}}
	if j.Timeout > 0 {
		l.timeout = time.After(j.Timeout)
	}
	if err := l.place(of); err != nil {
		found.Close()
		return nil, err
	}
	return l, nil
}

// place makes an agent for each node that gets ranks, and the mirror. of is the number of the host of each rank.
func (l *leader) place(of []int) error {
	for i := range l.job.Apps {
		l.apps = append(l.apps, slices.Repeat([]*launcher.App{&l.job.Apps[i]}, l.job.Apps[i].N)...)
	}
	l.node = make([]int, len(of))
	spare := 0
	if l.job.TraceSize == 0 {
		spare = max(0, l.job.Universe-l.size)
	}
	for i, h := range l.nodes.Hosts {
		a := &remote{l: l, number: len(l.agents), name: h.Name, window: newWindow()}
		if someSlots(l.nodes.Hosts) {
			a.slots = max(h.Slots, 1)
		}
		for rank, host := range of {
			if host == i {
				a.ranks, l.node[rank] = append(a.ranks, rank), a.number
			}
		}
		if a.ranks == nil && spare > 0 {
			spare-- // ranks that are added may come there
		} else if a.ranks == nil {
			l.logf("node %s gets no rank: the others are enough", h.Name)
			continue
		}
		l.agents = append(l.agents, a)
	}
	memory, err := job.InHeap(job.Config{Ranks: l.size, Places: max(l.size, l.job.Universe, job.UsualRoom),
		BTL: job.BTLSM, CPUs: 1, Nodes: l.node, AllNodes: len(l.agents), Key: l.key, Settings: l.settings()})
	if err != nil {
		return fmt.Errorf("launcher: %w", err)
	}
	l.mirror = memory.Root()
	after, off := l.job.LooksAfter()
	l.watch = watch.NewNodes(l.mirror, l.size, after, off)
	return nil
}

// close gives back the resources of newLeader.
func (l *leader) close() {
	l.List.Close()
	if l.input != nil {
		l.input.close()
	}
}

// next waits for one event and handles it.
func (l *leader) next() {
	select {
	case event := <-l.events:
		event()
	case sig := <-l.job.Signals:
		l.received(sig)
	case <-l.timeout:
		l.timeout = nil
		if !l.over() {
			l.askHang(true)
		}
	case <-l.grace:
		l.grace = nil
		l.fate.GraceOver()
	case err := <-l.io.Failed():
		l.fate.OutputFailed(err)
	case <-l.canceled:
		l.canceled = nil
		l.fate.Kill(fate.CodeSignal + int(syscall.SIGKILL))
	case <-l.watch.AnswersDue():
		l.act(l.watch.EndAnswers())
	case <-l.watch.LookDue():
		l.look()
	case <-l.measure.tick:
		l.askClocks()
	case <-l.killLook:
		l.loseUnended()
	}
	if l.fate.Killed && l.killLook == nil {
		l.awaitKilled()
	}
}

// received is told of a signal.
func (l *leader) received(sig os.Signal) {
	number, ok := sig.(syscall.Signal)
	switch {
	case !ok:
	case number == syscall.SIGQUIT:
		l.askHang(false)
	case number == syscall.SIGTSTP:
		l.pause()
	default:
		if number == syscall.SIGCONT {
			l.pausing = false // as in the kernel, it ends a stop that has not begun
		}
		l.fate.Received(number)
	}
}

// asked is told that a signal has asked an agent to end. scancel and Slurm's time limit send it
// to all processes of a step. The end of a rank by it may be heard of first: then this is the
// reason.
func (l *leader) asked(a *remote, sig syscall.Signal) {
	if f := l.fate.Failure; l.wasAsked || l.over() && (f == nil || !f.Status.Signaled() || f.Status.Signal() != sig) {
		return
	}
	l.wasAsked = true
	l.fate.End(fate.CodeSignal + int(sig))
	if l.nodes.Slurm {
		l.io.Say("Slurm ends the job (scancel, or its time limit): %s", l.fate.Doing("ending"))
		return
	}
	l.io.Say("pvasrun on node %s got %s: %s", a.name, sys.SignalName(sig), l.fate.Doing("ending"))
}

// result ends the job: it passes on the rest of the output.
func (l *leader) result(ctx context.Context) (*launcher.Result, error) {
	l.act(l.watch.EndAnswers())
	l.fate.AllEnded(l.mirror)
	l.io.Flush()
	select {
	case err := <-l.io.Failed():
		l.fate.OutputFailed(err)
	default:
	}
	l.io.Flush()
	l.endMeasure()
	if l.job.Finished != nil {
		l.job.Finished(l.mirror)
	}
	r := &launcher.Result{Code: l.fate.Code, Failure: l.fate.Failure}
	for _, a := range l.agents {
		r.Nodes = append(r.Nodes, a.name)
		if a.end != nil && (r.BTL == 0 || len(a.ranks) > 0) {
			r.BTL, r.Reason = a.end.BTL, a.end.Reason
		}
	}
	err := l.failure
	if err == nil && ctx.Err() != nil && l.fate.Killed {
		err = context.Cause(ctx)
	}
	if err != nil {
		r.Code = launcher.ExitCode(err)
	}
	return r, err
}

// settings are those of the job on several nodes.
func (l *leader) settings() job.Settings {
	if l.job.BTL == job.BTLSM.String() {
		return l.job.SettingsFor(job.BTLSM)
	}
	return l.job.SettingsFor(job.BTLPvas)
}
