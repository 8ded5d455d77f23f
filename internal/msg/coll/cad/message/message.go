package message

import (
	"errors"
	"slices"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/mpi/fault"
)

// Run issues a graph and returns when it is complete.
func (t *Transport) Run(c *cad.Channel, g *cad.Graph) error {
	r, err := t.Build(c, g)
	if err != nil {
		return err
	}
	return t.Messages.Do(r, c.Context)
}

// Start implements pml.Task.
func (r *run) Start() error {
	r.channel.AwaitStandIn(r.graph)
	r.begun, r.done, r.broken = false, false, nil
	if r.reset(); r.guarded && !r.alone() {
		r.number = r.channel.Issued() // until it begins: see mayBegin
	} else {
		r.number = r.channel.Next()
	}
	if slot := r.graph.Slot; slot != 0 {
		r.t.Job.CountCall(r.t.Rank, slot)
	}
	return nil
}

// Progress implements pml.Task.
func (r *run) Progress() (done bool, err error) {
	in := r.t.Messages.Inside()
	if !r.begun {
		if !r.mayBegin() {
			return false, nil
		}
		r.begun, r.seen = true, in.Completions()
		r.together()
		r.finish(cad.Start)
		r.drain()
	}
	for !r.done && r.seen != in.Completions() {
		r.seen = in.Completions()
		r.takeArrived()
	}
	if !r.done {
		return false, nil
	}
	r.leaveFlight()
	if f := r.t.Failed; f != nil {
		*f = r.failure
		return true, r.broken
	}
	if r.broken != nil || r.failure.Fault == 0 {
		return true, r.broken
	}
	return true, cad.Reporter{Member: r.channel.MemberOf, Describe: r.t.Describe}.Err(r.failure, r.graph.Signature)
}

// Lone implements pml.Lone. Only calls of the program begin graphs, since they pass over none: see mayBegin.
func (r *run) Lone() bool { return r.begun && !r.own && !r.t.Check }

// Release implements pml.Task.
func (r *run) Release() {
	if r.done && r.failure.Fault == 0 && r.broken == nil && r.graph.Rest() {
		return
	}
	r.count(-r.bytes)
}

// count adds to the memory that the rank's graphs take.
func (r *run) count(bytes int) {
	if x := r.t.Executed; x != nil {
		x.Memory.Add(uint64(bytes))
	}
}

// takeArrived goes on after the messages that are over.
func (r *run) takeArrived() {
	for i := 0; i < len(r.active) && !r.done; {
		l := r.active[i]
		st, mark, done, err := r.t.Messages.Inside().Take(&l.request)
		if !done {
			i++
			continue
		}
		last := len(r.active) - 1
		r.active[i] = r.active[last]
		r.active[last] = inFlight{}
		r.active = r.active[:last]
		r.arrived(l, st, mark, err)
		r.drain()
	}
}

// drain executes all nodes that are ready.
func (r *run) drain() {
	for len(r.stack) > 0 && !r.done {
		n := r.stack[len(r.stack)-1]
		r.stack = r.stack[:len(r.stack)-1]
		r.execute(n)
	}
}

func (r *run) execute(n cad.Node) {
	a := &r.actions[n]
	switch a.kind {
	case cad.Send, cad.Recv:
		r.communicate(n)
		return
	case cad.KindEnd:
		r.done = true
		return
	case cad.Gate: // no node before it is left, and none behind it has begun
		r.passGuard()
		if r.failure.Kind() == cad.Mismatch || r.failure.Kind() == cad.Refused {
			r.done = true
			return
		}
	case cad.Copy:
		to, from := r.of(&a.dst), r.of(&a.src)
		btl.Copy(&to, &from, 0, a.src.size)
		r.tally(a)
	case cad.Calc, cad.Call:
		r.apply(a, r.bytesOf(&a.src))
		r.tally(a)
	}
	r.finish(n)
}

// communicate begins the message of a node.
func (r *run) communicate(n cad.Node) {
	a, in, context := &r.actions[n], r.t.Messages.Inside(), r.channel.Context
	l := inFlight{n: n}
	var err error
	switch {
	case a.kind == cad.Send:
		mark := pml.Mark{Number: r.number & (1<<markBits - 1), Word: r.call}
		if r.guarded && r.graph.Blocking {
			mark.Number |= blocks
		}
		if r.failure.Fault != 0 {
			mark.Number |= spoilt
			r.sendRecord(int(a.peer))
		}
		l.request, err = in.Isend(context, int(a.peer), tagOf(r.number, a.port), mark, r.of(&a.src))
	case a.folds:
		l.request, err = in.Irecv(context, int(a.peer), tagOf(r.number, a.port), btl.Buffer{Bytes: a.in})
	default:
		l.request, err = in.Irecv(context, int(a.peer), tagOf(r.number, a.port), r.of(&a.dst))
	}
	r.began(l, err)
}

// together tells the engine which messages the graph begins with.
func (r *run) together() {
	if !r.t.Messages.Routes().Plans() {
		return
	}
	r.members = r.members[:0]
	start := &r.actions[cad.Start]
	for _, e := range r.edges[start.first:][:start.count] {
		if a := &r.actions[e.To]; a.kind == cad.Send && a.before == 1 {
			r.members = append(r.members, btl.Member{
				Peer: int(a.peer), Tag: int32(tagOf(r.number, a.port)), Context: r.channel.Context, Bytes: a.src.size,
			})
		}
	}
	r.t.Messages.Inside().Together(r.members)
}

// began looks after a message, unless it is over at once.
func (r *run) began(l inFlight, err error) {
	if err != nil {
		r.failed(l.n, err)
		return
	}
	if st, mark, done, err := r.t.Messages.Inside().Take(&l.request); done {
		r.arrived(l, st, mark, err)
	} else {
		r.active = append(r.active, l)
	}
}

// arrived is for a message that is over.
func (r *run) arrived(l inFlight, st pml.Status, mark pml.Mark, err error) {
	a := &r.actions[l.n]
	if truncated, ok := errors.AsType[*fault.TruncateError](err); ok {
		st.Bytes, err = truncated.Length, nil
	}
	switch {
	case err != nil:
		r.failed(l.n, err)
		return
	case l.record != nil:
		r.note(r.recorded(l.record, st.Source))
	case a.kind == cad.Recv:
		want := uint64(a.dst.size)
		if mark.Number&spoilt != 0 {
			want = st.Bytes // the record says what is wrong
		}
		if r.note(compare(r.t.Rank, r.call, r.number, want, st, mark)); r.done {
			return
		}
		if r.guarded && (mark.Number&blocks != 0) != r.graph.Blocking {
			r.note(cad.AboutTwo(cad.Mismatch, r.t.Rank, st.Source, r.call, r.call))
		}
		if r.guarded && r.call&cad.Elements == 0 {
			r.call |= mark.Word & cad.Elements
		}
		if mark.Number&spoilt != 0 {
			r.receiveRecord(l.n, st.Source)
			return
		}
		if a.folds && a.dst.size > 0 {
			r.apply(a, a.in)
		}
		r.tally(a)
	}
	r.finish(l.n)
}

// apply calls the operator of a node, or the function of a CALL. After a failure it does not:
// the data may be lost.
func (r *run) apply(a *action, in []byte) {
	if r.failure.Fault != 0 {
		return
	}
	defer func() {
		if v := recover(); v != nil {
			r.note(cad.Panicked(v, r.t.Rank))
		}
	}()
	a.op.Apply(r.bytesOf(&a.dst), in)
}

// finish is for a node that is done: those that come after it may be ready. The stack gives
// them back in their order: a SEND that was added before a RECV is not held up by it.
func (r *run) finish(n cad.Node) {
	a := &r.actions[n]
	for _, e := range slices.Backward(r.edges[a.first:][:a.count]) {
		if r.left[e.To]--; r.left[e.To] == 0 {
			r.stack = append(r.stack, e.To)
		}
	}
}

func (r *run) tally(a *action) {
	if x := r.t.Executed; x != nil {
		x.Nodes.Add(1)
		x.Bytes.Add(uint64(max(a.dst.size, a.src.size)))
	}
}
