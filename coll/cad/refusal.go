package cad

// A call that one member is refused, for its arguments, is no call: the member has done nothing for it, and
// the others do not meet it. Only if calls are checked does it issue a graph, which is a guard with
// nothing behind. It tells the others of the refusal, and it has a number on the channel. Nobody waits for
// it. When the guard of another member finds a refusal, there are two cases:
//
//   - Its own call is of the same operation: then that is the call that was refused, and ends with the cause.
//   - It is of another one. Then the refused call was the member's alone, the round is void, and the graph
//     begins again with the next number.
//
// All members hear of the same refusal, that of the lowest rank: in a guard it outranks what else is wrong. So
// all have as many rounds. A refused member sends all its messages at once, and the others learn of it also
// if it makes no call any more. So it passes on nothing: if two members are refused calls of
// different operations at a time, some may hear of one and some of the other.

// NewRefusal returns a graph for a call of an operation that is refused, and why: for Refuse.
func NewRefusal(operation uint64, cause string) *Graph {
	g := NewGraph()
	g.Signature, g.refusal = RefusedCall(operation), cause
	g.Tie()
	return g
}

// Refuse issues a graph of NewRefusal if calls are checked. Nobody waits for it.
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

// outranks tells whether all members of a guard are to know this failure rather than another one.
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

// again has the graph begin with the next number.
func (r *messageRun) again() {
	r.leaveFlight()
	r.reset()
	r.number = r.channel.issued.Add(1) - 1
	if c := r.channel; !r.graph.Blocking {
		c.guarded, c.flight = true, append(c.flight, r.number)
	}
	r.finish(Start)
}
