package transport

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/gopvas/gopvas/suci"
)

// bulkBytes is the length of a message of the stream, in the experiment beside.
const bulkBytes = 1 << 20

// run makes the measurement.
func (e *Experiment) run(ctx context.Context, c Carrier, o *order) (r Result, err error) {
	packets, again, err := o.sent(ctx, c)
	if err != nil {
		return r, err
	}
	r = Result{Experiment: e.Name, Nodes: e.Nodes, Bytes: e.Bytes}
	first := o.Self + 1
	var t Times
	rate := 0.0
	switch e.Name {
	case "pingpong":
		t, err = PingPong(ctx, c, first, e.Bytes, e.Lasting)
	case "burst":
		rate, err = Burst(ctx, c, first, e.Bytes, e.Lasting)
	case "gather":
		var from []Node
		for i := 1; i < e.Nodes; i++ {
			from = append(from, o.Self+Node(i))
		}
		t, err = gather(ctx, c, from, e.Bytes, e.Lasting)
	case "bcast":
		t, err = broadcast(ctx, c, o.Self, e.Nodes, max(e.Bytes, treeHead), e.Lasting)
	case "beside":
		t, rate, err = beside(ctx, c, first, e.Bytes, bulkBytes, e.Lasting)
	default:
		err = fmt.Errorf("transport: there is no experiment %q", e.Name)
	}
	if err != nil {
		return r, err
	}
	r.Rounds, r.Median, r.Least, r.P99, r.Worst, r.MBytesPerS = t.Rounds, t.Median, t.Least, t.P99, t.Worst, rate/1e6
	if rate == 0 {
		r.MBytesPerS = float64(e.taken()) / r.Median
	}
	packets2, again2, err := o.sent(ctx, c)
	if packets2 > packets {
		r.Again = 100 * float64(again2-again) / float64(packets2-packets)
	}
	return r, err
}

// taken is how many bytes the node that takes most of them takes in a round.
func (e *Experiment) taken() int {
	if e.Name == "gather" {
		return e.Bytes * (e.Nodes - 1)
	}
	return e.Bytes
}

// Contestant is a carrier as it takes part in experiments.
type Contestant struct {
	Name  string
	TCP   bool
	Start int // see suci.Options
}

// Contestants are suci, suci without slow start, and TCP.
var Contestants = []Contestant{{Name: "suci"}, {Name: "suci-fast", Start: 1 << 20}, {Name: "tcp", TCP: true}}

// Run makes the experiments with a contestant on the first nodes of a cluster, and hands
// over each result.
func (c *Cluster) Run(ctx context.Context, who Contestant, spin time.Duration, list []Experiment,
	each func(Result) error) error {
	const root, port = 1, 7470
	key := suci.NewKey()
	of := func(node int) order {
		return order{
			Self: Node(root + node), Key: key, TCP: who.TCP, Start: who.Start, Spin: spin,
			Port: netip.AddrPortFrom(c.Address(node), port),
		}
	}
	var servers []*process
	defer func() {
		for _, p := range servers {
			p.end()
		}
	}()
	lead := of(0)
	lead.Others, lead.Experiments = map[Node]netip.AddrPort{}, list
	for node := 1; node < c.Nodes(); node++ {
		o := of(node)
		p, err := c.start(ctx, node, &o)
		if err != nil {
			return err
		}
		servers = append(servers, p)
		lead.Others[o.Self] = o.Port
	}
	for _, p := range servers {
		if _, err := p.line(); err != nil {
			return err
		}
	}
	memory := newGauge()
	defer memory.close()
	p, err := c.start(ctx, 0, &lead)
	if err != nil {
		return err
	}
	defer p.end()
	l := &ledger{c: c, who: who, memory: memory, everyone: append(slices.Clip(servers), p)}
	l.complete(&Result{})
	for range list {
		text, err := p.line()
		if err != nil {
			return err
		}
		var r Result
		if err := json.Unmarshal(text, &r); err != nil {
			return fmt.Errorf("transport: read result: %w", err)
		}
		l.complete(&r)
		if err := each(r); err != nil {
			return err
		}
	}
	return nil
}

// A ledger is what a cluster has counted until the last experiment.
type ledger struct {
	c        *Cluster
	who      Contestant
	memory   *gauge
	everyone []*process

	sent, again, woken uint64
}

// complete adds to a result what is counted from outside of the nodes' processes.
func (l *ledger) complete(r *Result) {
	r.Carrier, r.Links, r.Sockets, r.Queued = l.who.Name, l.c.String(), l.c.sockets(), l.memory.take()
	woken := wakes(l.everyone)
	if r.Rounds > 0 {
		r.Wakes = max(0, float64(woken)-float64(l.woken)) / float64(r.Rounds) // threads that have ended are not counted
	}
	sent, again := l.c.Segments()
	if l.who.TCP {
		r.Congestion = l.c.Congestion
		r.Again = 100 * float64(again-l.again) / float64(max(sent-l.sent, 1))
	}
	l.sent, l.again, l.woken = sent, again, woken
}

// String says what the links are.
func (l *Links) String() string {
	s := "unlimited"
	switch {
	case l.Rate > 0:
		s = fmt.Sprintf("%d Mbit/s", l.Rate/1e6)
	case l.Frames || l.Loss > 0:
		s = "frames"
	}
	if l.Loss > 0 {
		s += fmt.Sprintf(", %g %% lost", 100*l.Loss)
	}
	return s
}
