package coll

import "github.com/gopvas/gopvas/internal/msg/coll/order"

// The collectives of a team on several nodes, as steps in its node teams and among their
// leaders: see levels.

// stepper makes the steps of a call, one after the other: a *Team at once, a *builder as nodes of
// a graph.
type stepper interface {
	step(of *Team, a Args)         // a call in a team of some members, to which this one belongs
	hand(from, to int, buf []byte) // from one member of this node to another; all of them call it
	place(to, from []byte)         // a copy
	arrange(op *Op, f func())      // copies between the memory of new, and an operator unless nil
	temp(n int) []byte             // memory for this call, which asks for it once
}

// mostKept is how much memory for such calls a team keeps from one to the next.
const mostKept = 4 << 20

// temporary returns memory whose contents do not matter. New memory for each call took 8 % of the CPU time in
// an Alltoall of short blocks: it is cleared, and collected.
func temporary(by stepper, n int) []byte {
	if n > mostKept {
		return make([]byte, n)
	}
	return by.temp(n)
}

// fitsLevels tells whether a call can be made so.
func (t *Team) fitsLevels(a *Args) bool {
	switch {
	case t.levels == nil:
		return false
	case !a.Kind.reduces() || inOneOrder(t, a):
		return true
	}
	return !t.Choice.Reproducible && (a.Op.Commutative || t.levels.inOrder)
}

// mostHandedOn is how many bytes of all members the leaders hand on, to combine them in the one order.
const mostHandedOn = 4 << 10

// inOneOrder tells whether steps combine in the one order.
func inOneOrder(t *Team, a *Args) bool { return a.Op.Exact || t.levels.aligned || handedOn(t, a) }

// handedOn tells whether the leaders get what each member gives, of a call that cannot be in the one order otherwise.
func handedOn(t *Team, a *Args) bool {
	return !a.Op.Exact && !t.levels.aligned && t.Size*a.size() <= mostHandedOn
}

func levelsBarrier(t *Team, _ *Args, by stepper) {
	l := t.levels
	by.step(l.node, Args{Kind: Barrier})
	if l.leaders != nil {
		by.step(l.leaders, Args{Kind: Barrier})
	}
	by.step(l.node, Args{Kind: Barrier})
}

// levelsBcast: the root's node first if its leader is not the root, else last, so that the
// network is used as soon as possible.
func levelsBcast(t *Team, a *Args, by stepper) {
	l, root := t.levels, a.Root
	early := l.here == l.where[root] && l.place[root] != 0
	if early {
		by.step(l.node, bcastOf(a.Send.Data, l.place[root]))
	}
	if l.leaders != nil {
		by.step(l.leaders, bcastOf(a.Send.Data, l.where[root]))
	}
	if !early {
		by.step(l.node, bcastOf(a.Send.Data, 0))
	}
}

func bcastOf(data []byte, root int) Args {
	return Args{Kind: Bcast, Root: root, Send: Buffer{Data: data}, Recv: Buffer{Data: data}}
}

// levelsOfAll has the leaders of the nodes get what all members give, or that of one node with only, and combine it.
// The result is a memory of the leaders. It is for short vectors.
func levelsOfAll(t *Team, a *Args, by stepper, only int) (sum []byte) {
	l, n := t.levels, len(a.Send.Data)
	var own []byte
	var blocks Buffer
	if l.leaders != nil {
		memory := temporary(by, (t.Size+1)*n)
		sum, blocks = memory[:n], l.byNode(memory[n:], n)
		own = blocks.Part(l.here)
	}
	by.step(l.node, Args{Kind: Gather, Send: Buffer{Data: a.Send.Data}, Recv: Buffer{Data: own, Block: n}})
	if l.leaders == nil {
		return nil
	}
	if only < 0 {
		by.step(l.leaders, Args{Kind: Allgather, InPlace: true, Irregular: !l.even, Send: Buffer{Data: own},
			Recv: blocks})
	} else {
		g := Args{Kind: Gather, Root: only, Irregular: !l.even, Send: Buffer{Data: own}}
		if l.here == only {
			g.InPlace, g.Recv = true, blocks
		}
		by.step(l.leaders, g)
	}
	if only >= 0 && l.here != only {
		return nil
	}
	from, at := make([][]byte, t.Size), 0
	for _, members := range l.nodes {
		for _, member := range members {
			from[member] = blocks.Data[at:][:n]
			at += n
		}
	}
	op := a.Op
	by.arrange(op, func() { new(order.Evaluator).Reduce(op, sum, from) })
	return sum
}

func levelsReduce(t *Team, a *Args, by stepper) {
	l := t.levels
	n := len(a.Send.Data)
	if handedOn(t, a) {
		levelsReduceAll(t, a, by)
		return
	}
	var sum []byte // of the node, then of all
	switch {
	case t.Rank == a.Root:
		sum = a.Recv.Data[:n]
	case l.leaders != nil:
		sum = by.temp(n)
	}
	// The root may be no leader: what it sends may then be where it receives, so the node's sum
	// goes to the leader, and all comes back.
	by.step(l.node, Args{Kind: Reduce, Op: a.Op, Send: Buffer{Data: a.Send.Data}, Recv: Buffer{Data: sum}})
	if l.leaders != nil {
		by.step(l.leaders, Args{Kind: Reduce, Op: a.Op, Root: l.where[a.Root], InPlace: true, Send: Buffer{Data: sum},
			Recv: Buffer{Data: sum}})
	}
	if l.here == l.where[a.Root] {
		by.hand(0, l.place[a.Root], sum)
	}
}

// levelsReduceAll is levelsReduce of vectors that are handed on. What the root sends may be where it receives, so the
// sum comes there last.
func levelsReduceAll(t *Team, a *Args, by stepper) {
	l := t.levels
	where, place := l.where[a.Root], l.place[a.Root]
	sum := levelsOfAll(t, a, by, where)
	if l.here != where {
		return
	}
	if place == 0 {
		if t.Rank == a.Root {
			by.place(a.Recv.Data[:len(sum)], sum)
		}
		return
	}
	if t.Rank == a.Root {
		sum = a.Recv.Data[:len(a.Send.Data)]
	}
	by.hand(0, place, sum)
}

func levelsAllreduce(t *Team, a *Args, by stepper) {
	l := t.levels
	sum := Buffer{Data: a.Recv.Data[:len(a.Send.Data)]}
	if handedOn(t, a) {
		if all := levelsOfAll(t, a, by, -1); l.leaders != nil {
			by.place(sum.Data, all)
		}
		by.step(l.node, bcastOf(sum.Data, 0))
		return
	}
	by.step(l.node, Args{Kind: Reduce, Op: a.Op, InPlace: a.InPlace, Send: Buffer{Data: a.Send.Data}, Recv: sum})
	if l.leaders != nil {
		by.step(l.leaders, Args{Kind: Allreduce, Op: a.Op, InPlace: true, Send: sum, Recv: sum})
	}
	by.step(l.node, bcastOf(sum.Data, 0))
}

func levelsGather(t *Team, a *Args, by stepper) {
	l, n := t.levels, a.size()
	var all []byte // in the order of the nodes
	if t.Rank == a.Root || l.leaders != nil && l.here == l.where[a.Root] {
		all = t.inNodeOrder(a.Recv.Data, n, t.Rank == a.Root)
	}
	var own []byte // of the node
	if l.leaders != nil {
		own = temporary(by, len(l.nodes[l.here])*n)
	}
	by.step(l.node, Args{Kind: Gather, Send: Buffer{Data: a.Send.Data}, Recv: Buffer{Data: own, Block: n}})
	if l.leaders != nil {
		g := Args{Kind: Gather, Root: l.where[a.Root], Irregular: !l.even, Send: Buffer{Data: own},
			Recv: l.byNode(all, n)}
		by.step(l.leaders, g)
	}
	if l.here == l.where[a.Root] {
		by.hand(0, l.place[a.Root], all)
	}
	if t.Rank == a.Root {
		t.inMemberOrder(&a.Recv, all, n, by)
	}
}

func levelsScatter(t *Team, a *Args, by stepper) {
	l, n := t.levels, a.size()
	var all []byte
	if t.Rank == a.Root || l.leaders != nil && l.here == l.where[a.Root] {
		all = t.inNodeOrder(a.Send.Data, n, t.Rank == a.Root)
	}
	if t.Rank == a.Root && !l.inOrder {
		at := 0
		for _, members := range l.nodes {
			for _, member := range members {
				by.place(all[at:][:n], a.Send.Part(member))
				at += n
			}
		}
	}
	if l.here == l.where[a.Root] {
		by.hand(l.place[a.Root], 0, all)
	}
	var own []byte
	if l.leaders != nil {
		own = temporary(by, len(l.nodes[l.here])*n)
		s := Args{Kind: Scatter, Root: l.where[a.Root], Irregular: !l.even, Send: l.byNode(all, n),
			Recv: Buffer{Data: own}}
		by.step(l.leaders, s)
	}
	by.step(l.node, Args{Kind: Scatter, Send: Buffer{Data: own, Block: n}, Recv: Buffer{Data: a.Recv.Data}})
}

func levelsAllgather(t *Team, a *Args, by stepper) {
	l, n := t.levels, a.size()
	all := t.inNodeOrder(a.Recv.Data, n, true)
	blocks := l.byNode(all, n)
	var own []byte // a part of all
	if l.leaders != nil {
		own = blocks.Part(l.here)
	}
	by.step(l.node, Args{Kind: Gather, Send: Buffer{Data: a.Send.Data}, Recv: Buffer{Data: own, Block: n}})
	if l.leaders != nil {
		by.step(l.leaders, Args{Kind: Allgather, InPlace: true, Irregular: !l.even,
			Send: Buffer{Data: own}, Recv: blocks})
	}
	by.step(l.node, bcastOf(all, 0))
	t.inMemberOrder(&a.Recv, all, n, by)
}

// levelsAlltoall: the leader of a node has all that its members send, by sender. What goes to
// another node is one message, by receiver. So is what comes from there: each receiver's part
// is put together from all of them.
func levelsAlltoall(t *Team, a *Args, by stepper) {
	l, n := t.levels, a.size()
	here, row := l.nodes[l.here], t.Size*n
	var mine, out, in []byte
	if l.leaders != nil {
		k := len(here) * row
		all := temporary(by, 3*k)
		mine, out, in = all[:k], all[k:2*k], all[2*k:]
	}
	by.step(l.node, Args{Kind: Gather, Send: Buffer{Data: a.Send.Data[:row]}, Recv: Buffer{Data: mine, Block: row}})
	if l.leaders != nil {
		k := len(here) * n
		by.arrange(nil, func() { l.byReceiver(out, mine, n) })
		by.step(l.leaders, Args{Kind: Alltoall, Irregular: !l.even, Send: l.byNode(out, k), Recv: l.byNode(in, k)})
		by.arrange(nil, func() { l.bySender(mine, in, n) })
	}
	by.step(l.node, Args{Kind: Scatter, Send: Buffer{Data: mine, Block: row}, Recv: Buffer{Data: a.Recv.Data[:row]}})
}

// byReceiver puts the blocks that members of this node send, by sender, in the order of the nodes
// and their members that receive them.
func (l *levels) byReceiver(out, mine []byte, n int) {
	row, at := len(l.where)*n, 0
	for _, there := range l.nodes {
		for _, to := range there {
			for from := range l.nodes[l.here] {
				at += copy(out[at:], mine[from*row+to*n:][:n])
			}
		}
	}
}

// bySender puts the blocks that have come from all nodes in the order of the members of this node.
// The blocks of one member stand in the order of their senders.
func (l *levels) bySender(mine, in []byte, n int) {
	row, at, here := len(l.where)*n, 0, len(l.nodes[l.here])
	for _, there := range l.nodes {
		for to := range here {
			for i, from := range there {
				copy(mine[to*row+from*n:], in[at+(to*len(there)+i)*n:][:n])
			}
		}
		at += len(there) * here * n
	}
}

// inNodeOrder returns memory for the blocks of all members in the order of the nodes: the
// buffer, if this member has one and its order is the same.
func (t *Team) inNodeOrder(buf []byte, n int, have bool) []byte {
	if have && t.levels.inOrder {
		return buf[:t.Size*n]
	}
	return make([]byte, t.Size*n)
}

// inMemberOrder puts blocks that are in the order of the nodes into their places.
func (t *Team) inMemberOrder(to *Buffer, all []byte, n int, by stepper) {
	if t.levels.inOrder {
		return
	}
	for _, members := range t.levels.nodes {
		for _, member := range members {
			by.place(to.Part(member), all[:n])
			all = all[n:]
		}
	}
}

// byNode returns a buffer of a block for each node, with n bytes for each member.
func (l *levels) byNode(data []byte, n int) Buffer {
	b := Buffer{Data: data, Block: len(l.nodes[0]) * n}
	if l.even {
		return b
	}
	b.Unit = 1
	at := 0
	for _, members := range l.nodes {
		b.Counts, b.Displs = append(b.Counts, len(members)*n), append(b.Displs, at)
		at += len(members) * n
	}
	return b
}
