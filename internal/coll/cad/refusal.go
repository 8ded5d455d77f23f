package cad

// A call is refused if the arguments of one member are wrong. A refused call is no call: the member has sent nothing
// for it, and no call of another member is matched with it.
//
// If calls are checked, the member tells the others of the refusal. It issues a graph that is a guard (see guarded)
// with nothing behind, and that takes a number on the channel. No member waits for it. The guard of another member that
// finds a refusal distinguishes two cases:
//
//   - Its own call is of the operation that was refused. Then both are taken for the same call, which ends on all
//     members with the cause of the refusal.
//   - Its own call is of another operation. Then only one member has made the refused call: the round is void, and the
//     graph begins again with the next number.
//
// Invariant: all members take part in the same number of rounds, because all decide by the same refusal. In a guard a
// refusal outranks all other failures, and the refusal of the lowest rank outranks those of others.
//
// A refused member sends the messages of its guard at once, so the others learn of the refusal even if it makes no
// further call. The price is that it does not pass on what it receives. If two members are refused calls of different
// operations in the same round, some members may learn of one refusal and some of the other.

// NewRefusal returns the graph that tells why a call of an operation was refused, for Refuse.
func NewRefusal(operation uint64, cause string) *Graph {
	g := NewGraph()
	g.Signature, g.refusal = RefusedCall(operation), cause
	g.Tie()
	return g
}

// Refuse issues a graph of NewRefusal if calls are checked. It does not wait for the graph.
func (t *Transport) Refuse(c *Channel, g *Graph) error {
	if !t.Check || c.Size == 1 {
		return nil
	}
	r, err := t.build(c, g)
	if err != nil {
		return err
	}
	request, err := t.Messages.Begin(r, c.Context)
	if err == nil {
		t.Messages.Leave(&request)
	}
	return err
}

// outranks tells whether a guard passes on this failure rather than another one: see the invariant above.
func (f Failure) outranks(other Failure) bool {
	switch {
	case f.Kind() != Refused:
		return false
	case other.Kind() == Refused:
		return f.Rank() < other.Rank() || f.Rank() == other.Rank() && other.Text == ""
	}
	return other.Kind() == Mismatch
}

// void tells whether the guard has found a refusal of another operation.
func (r *messageRun) void() bool {
	return r.failure.Kind() == Refused && !IsRefused(r.graph.Signature) &&
		Operation(r.failure.Detail[0]) != Operation(r.graph.Signature)
}

// again begins the graph anew, with the next number.
func (r *messageRun) again() {
	r.leaveFlight()
	r.reset()
	r.number = r.channel.issued.Add(1) - 1
	if c := r.channel; !r.graph.Blocking {
		c.guarded, c.flight = true, append(c.flight, r.number)
	}
	r.finish(Start)
}
