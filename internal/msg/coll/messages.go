package coll

import (
	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/internal/msg/coll/cad/message"
)

// Collectives by messages are graphs (see builder), which this member issues and waits for.
// A graph is cached for the next call of the same shape.

// byMessages makes the present call by an algorithm that builds a graph.
func (t *Team) byMessages(l *algorithm) error {
	a := &t.args
	a.Hooks = Hooks{} // Run calls them
	s, again := t.shapeOf(a, l)
	var g *cad.Graph
	if again {
		g = t.blocking.take(&s)
	}
	if g != nil {
		g.SetBuffers(a.Send.Data, a.Recv.Data)
	} else {
		b := newBuilder(t, *a)
		b.whole = true
		b.build(l)
		b.g.Slot = 0 // count counts the call
		if g = b.g; again {
			t.blocking.add(g, s, a)
		}
	}
	g.Signature = t.call
	return t.runGraph(&t.transport, g)
}

// runGraph issues a graph that is a part of the present call, and waits for it.
func (t *Team) runGraph(by *message.Transport, g *cad.Graph) error {
	g.Name, g.Blocking, g.Agreed = t.called, true, t.agreement()
	return by.Run(&t.channel, g)
}

// agree finds out whether all members make calls with the present signature.
func (t *Team) agree() bool {
	g := cad.NewGraph()
	g.Signature = t.call
	if t.Check {
		g.Signature |= t.args.elements() << cad.ElementsAt
	}
	g.Tie()
	g.Name, g.Blocking, g.Shared, g.Agreed = t.called, true, t.guards() != &t.channel, t.agreement()
	t.broken = t.checking().Run(t.guards(), g)
	return t.broken == nil
}

// guards returns the channel of rounds that compare calls. If not all calls have one they go with those that block.
func (t *Team) guards() *cad.Channel {
	if t.Check && t.Guards != nil {
		return t.Guards
	}
	return &t.channel
}

// checking returns the transport of rounds that compare calls.
func (t *Team) checking() *message.Transport {
	check := t.transport
	check.Check = true
	return &check
}

// tell gives all members what member 0 has in buf. It is no call of the program.
func (t *Team) tell(buf []byte) error {
	b := newBuilder(t, Args{Kind: Bcast, Send: Buffer{Data: buf}, Recv: Buffer{Data: buf}})
	b.whole = true
	graphBcastBinomial(b)
	b.g.Tie()
	own := t.transport
	own.Failed = nil
	return t.runGraph(&own, b.g)
}

// connect makes what the team needs for messages, at the first call.
func (t *Team) connect() {
	if t.transport.Messages == nil {
		t.asking.team = t
		t.transport = message.Transport{Job: t.Job, Messages: t.Engine, Rank: t.world(t.Rank), Describe: t.describe}
		t.channel.Context, t.channel.Rank, t.channel.Size, t.channel.World = t.Context, t.Rank, t.Size, t.World
		t.channel.Name = t.Name
		t.makeBoard()
		if t.Inner != 0 {
			t.levels = t.findLevels()
		}
	}
}

func (t *Team) describe(call uint64) string {
	if t.Describe != nil {
		return t.Describe(call)
	}
	return DescribeCall(call, nil)
}
