package graph

// Calls adds the calls of one thread of a rank to a graph, each after the one before: a
// blocking call must have completed, of a nonblocking one the call must have returned.
// Site, CPU, NIC and Tag are those of the calls that follow.
type Calls struct {
	Site     uint32
	Tag      int32
	CPU, NIC uint8

	b    *Builder
	last ID
	any  bool // there was a call
}

// Calls begins a rank and the calls of its thread.
func (b *Builder) Calls(rank int) *Calls {
	b.Rank(rank)
	return &Calls{b: b}
}

// Beside returns the calls of another thread of the rank, on another of its CPUs.
func (c *Calls) Beside(cpu uint8) *Calls { return &Calls{b: c.b, CPU: cpu} }

// add adds a call behind the last one.
func (c *Calls) add(kind Kind, size int64, peer int) ID {
	id := c.b.Add(Op{Kind: kind, Size: size, Peer: int32(peer), Tag: c.Tag, Site: c.Site, CPU: c.CPU, NIC: c.NIC})
	if c.b.err != nil {
		return 0
	}
	if c.any {
		dep := Requires
		if k := c.b.g.ops.at(c.last).Kind; k == Isend || k == Irecv {
			dep = Irequires
		}
		c.b.Depend(id, c.last, dep)
	}
	c.last, c.any = id, true
	return id
}

// Send sends bytes to a rank and returns when it may go on.
func (c *Calls) Send(bytes int64, to int) ID { return c.add(Send, bytes, to) }

// Recv receives bytes from a rank, or Any.
func (c *Calls) Recv(bytes int64, from int) ID { return c.add(Recv, bytes, from) }

// Isend begins to send bytes to a rank.
func (c *Calls) Isend(bytes int64, to int) ID { return c.add(Isend, bytes, to) }

// Irecv begins to receive bytes from a rank, or Any.
func (c *Calls) Irecv(bytes int64, from int) ID { return c.add(Irecv, bytes, from) }

// Calc computes for some nanoseconds.
func (c *Calls) Calc(ns int64) ID { return c.add(Calc, ns, 0) }

// Wait waits for nonblocking operations.
func (c *Calls) Wait(requests ...ID) ID {
	id := c.add(Wait, 0, 0)
	for _, r := range requests {
		c.b.Depend(id, r, Awaits)
	}
	return id
}
