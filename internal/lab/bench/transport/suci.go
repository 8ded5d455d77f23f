package transport

import (
	"context"
	"fmt"
	"net/netip"
	"sync/atomic"

	"github.com/gopvas/gopvas/suci"
)

const (
	urgentPriority = 6
	plainPriority  = 2
	copied         = 16 << 10 // messages up to this length are copied
	mostUnderWay   = 32       // long messages that are sent at once
)

// suciCarrier carries messages over suci.
type suciCarrier struct {
	endpoint *suci.Endpoint
	underWay chan struct{} // a token for each long message
	failed   atomic.Pointer[error]
}

// OpenSuci opens a carrier over suci.
func OpenSuci(o suci.Options) (Carrier, error) {
	e, err := suci.Open(o)
	if err != nil {
		return nil, fmt.Errorf("transport: %w", err)
	}
	return &suciCarrier{endpoint: e, underWay: make(chan struct{}, mostUnderWay)}, nil
}

// Address implements Carrier.
func (c *suciCarrier) Address() netip.AddrPort { return c.endpoint.Addr() }

// Reach implements Carrier.
func (c *suciCarrier) Reach(n Node, at netip.AddrPort) error {
	_, err := c.endpoint.Destination(suci.ID(n), at)
	return err
}

// Send implements Carrier.
func (c *suciCarrier) Send(ctx context.Context, to Node, data []byte, urgent bool) error {
	peer := c.endpoint.Peer(suci.ID(to))
	if peer == nil {
		return fmt.Errorf("transport: send to node %d: its address is not known", to)
	}
	b := suci.Block{Data: data, Priority: plainPriority}
	if urgent {
		b.Priority = urgentPriority
	}
	if len(data) <= copied {
		return peer.Write(ctx, b)
	}
	select {
	case c.underWay <- struct{}{}:
	case <-ctx.Done():
	}
	if err := c.trouble(ctx); err != nil {
		return err
	}
	err := peer.Start(b, c.done)
	if err != nil {
		<-c.underWay
	}
	return err
}

// done is told that a long message has arrived.
func (c *suciCarrier) done(err error) {
	if err != nil {
		c.failed.CompareAndSwap(nil, &err)
	}
	<-c.underWay
}

func (c *suciCarrier) trouble(ctx context.Context) error {
	if err := c.failed.Load(); err != nil {
		return *err
	}
	return context.Cause(ctx)
}

// Flush implements Carrier.
func (c *suciCarrier) Flush(ctx context.Context) error {
	if err := c.endpoint.Flush(ctx); err != nil {
		return err
	}
	return c.trouble(ctx)
}

// Receive implements Carrier.
func (c *suciCarrier) Receive(ctx context.Context) (Message, error) {
	r, err := c.endpoint.Read(ctx)
	if err != nil {
		return Message{}, err
	}
	return Message{From: Node(r.From), Data: r.Data, block: r}, nil
}

// State implements Carrier.
func (c *suciCarrier) State() State {
	return State{Counters: c.endpoint.Counters(), Flows: c.endpoint.Flows()}
}

// Close implements Carrier.
func (c *suciCarrier) Close() error { return c.endpoint.Close() }
