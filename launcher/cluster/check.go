package cluster

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"time"

	"github.com/gopvas/gopvas/launcher"
	"github.com/gopvas/gopvas/launcher/internal/fate"
	"github.com/gopvas/gopvas/launcher/internal/streams"
)

// A NodeCheck describes a node before a job, or says why it can take none.
type NodeCheck struct {
	Name      string         `json:"name"` // as the user has written it
	Hostname  string         `json:"host_name"`
	Build     string         `json:"build"` // of pvasrun there: see linkage.Build
	Err       error          `json:"-"`     // it is not reached, or pvasrun there does not fit; the rest is empty then
	Took      time.Duration  `json:"took_ns"`
	Kernel    string         `json:"kernel"`
	CPUs      int            `json:"cpus"`
	Files     uint64         `json:"open_files"` // limit on open files
	Space     string         `json:"space"`      // why ranks do not share an address space there; "": they do
	Addresses []netip.Prefix `json:"addresses"`  // in networks other than the loopback
	Devices   []string       `json:"devices"`    // which have these addresses
	Down      []string       `json:"down"`       // those of them whose link is down
	Unheard   []string       `json:"unheard"`    // nodes from which no datagram comes by any device
	UnheardBy []string       `json:"unheard_by"` // likewise by some devices, which a job does without: "n2 by eth1"

	// Clock is how far the clock is ahead of this machine's at least; less than 0: behind.
	Clock time.Duration `json:"clock_ns"`
}

// Check starts an agent on each node, as Run does, and asks it what the node has. It
// waits for all answers, for 30 seconds at most. The error says that no agent could be started,
// or that ctx was canceled.
func Check(ctx context.Context, n Nodes) ([]NodeCheck, error) {
	if n.Timeout == 0 {
		n.Timeout = DefaultNodeTimeout
	}
	l := &leader{
		job: &launcher.Job{}, nodes: n, events: make(chan func()), io: streams.New(streams.Config{}),
		canceled: ctx.Done(), done: make(chan struct{}), checks: true,
	}
	l.fate = fate.Fate{Effects: fate.Effects{Alive: l.alive, Signal: l.signal, Say: l.io.Say,
		Grace: func(time.Duration) {}}}
	for i, h := range n.Hosts {
		l.agents = append(l.agents, &remote{l: l, number: i, name: h.Name, window: newWindow()})
	}
	defer l.close()
	begin := time.Now()
	if err := l.startAgents(); err != nil {
		return nil, err
	}
	defer l.endAgents()
	l.beginPatience()
	defer l.patience.timer.Stop()
	going := func() bool { return ctx.Err() == nil }
	l.await(l.agents, going, func(a *remote) bool { return a.ready != nil })
	there := slices.DeleteFunc(slices.Clone(l.agents), func(a *remote) bool { return a.over })
	bad := l.checkPaths(there, going)
	checks := make([]NodeCheck, len(l.agents))
	for i, a := range l.agents {
		checks[i] = a.check(begin)
		if bad != nil && bad.Node == a.name {
			checks[i] = NodeCheck{Name: a.name, Err: bad.Err}
		}
		for j, b := range there {
			if a != b && !a.over && !b.over {
				checks[i].listen(a, b, j)
			}
		}
	}
	return checks, context.Cause(ctx)
}

// checkPaths has the agents send datagrams to one another, by the devices that a job would use. It returns what would
// keep a job from that.
func (l *leader) checkPaths(agents []*remote, going func() bool) *NodeError {
	if len(agents) < 2 {
		return nil
	}
	devices, err := l.chooseAddresses(agents)
	if bad, ok := errors.AsType[*NodeError](err); ok {
		return bad
	}
	l.probe(agents, devices, probeTime, true, going)
	return nil
}

// listen notes whether a has heard b, which has the number j of those that were there.
func (c *NodeCheck) listen(a, b *remote, j int) {
	var by []string
	for device := range a.heard {
		if !a.heard[device][j] && device < len(b.doors) {
			by = append(by, b.name+" by "+a.ready.device(a.doors[device].Addr()))
		}
	}
	if len(by) > 0 && len(by) == len(a.heard) {
		c.Unheard = append(c.Unheard, b.name)
	} else {
		c.UnheardBy = append(c.UnheardBy, by...)
	}
}

// check returns the description of the node.
func (a *remote) check(begin time.Time) NodeCheck {
	r := a.ready
	switch {
	case r == nil && a.lost == nil:
		return NodeCheck{Name: a.name, Err: errors.New("it was not waited for")}
	case a.lost != nil:
		return NodeCheck{Name: a.name, Err: a.lost}
	}
	c := NodeCheck{
		Name: a.name, Hostname: r.Hostname, Build: r.Build, Took: a.answered.Sub(begin), Kernel: r.Kernel,
		CPUs: r.CPUs, Files: r.Files, Space: r.Space, Down: r.Down,
	}
	for _, p := range r.Addresses {
		if !p.Addr().IsLoopback() {
			c.Addresses, c.Devices = append(c.Addresses, p), append(c.Devices, r.device(p.Addr()))
		}
	}
	// The answer was written between the beginning and its arrival, which is no difference.
	c.Clock = max(r.Clock.Sub(a.answered), 0) + min(r.Clock.Sub(begin), 0)
	return c
}
