package coll

// The collectives of a team on several nodes, as steps in its node teams and among their
// leaders: see levels.

// fitsLevels tells whether a call can be made so.
func fitsLevels(t *Team, _ int) bool {
	return t.levels != nil && (!t.args.Kind.reduces() || t.args.Op.Commutative || t.levels.inOrder)
}

func levelsBarrier(t *Team) {
	l := t.levels
	t.step(l.node, Args{Kind: Barrier})
	if l.leaders != nil {
		t.step(l.leaders, Args{Kind: Barrier})
	}
	t.step(l.node, Args{Kind: Barrier})
}

// levelsBcast: the root's node first if its leader is not the root, else last, so that the
// network is used as soon as possible.
func levelsBcast(t *Team) {
	l, root := t.levels, t.args.Root
	early := l.here == l.where[root] && l.place[root] != 0
	if early {
		t.step(l.node, bcastOf(t.args.Send.Data, l.place[root]))
	}
	if l.leaders != nil {
		t.step(l.leaders, bcastOf(t.args.Send.Data, l.where[root]))
	}
	if !early {
		t.step(l.node, bcastOf(t.args.Send.Data, 0))
	}
}

func bcastOf(data []byte, root int) Args {
	return Args{Kind: Bcast, Root: root, Send: Buffer{Data: data}, Recv: Buffer{Data: data}}
}

func levelsReduce(t *Team) {
	l, a := t.levels, &t.args
	n := len(a.Send.Data)
	var sum []byte // of the node, then of all
	switch {
	case t.Rank == a.Root:
		sum = a.Recv.Data[:n]
	case l.leaders != nil:
		sum = t.temp(n)
	}
	// The root may be no leader: what it sends may then be where it receives, so the node's sum
	// goes to the leader, and all comes back.
	t.step(l.node, Args{Kind: Reduce, Op: a.Op, Send: Buffer{Data: a.Send.Data}, Recv: Buffer{Data: sum}})
	if l.leaders != nil {
		t.step(l.leaders, Args{Kind: Reduce, Op: a.Op, Root: l.where[a.Root], InPlace: true, Send: Buffer{Data: sum}, Recv: Buffer{Data: sum}})
	}
	if l.here == l.where[a.Root] {
		t.hand(0, l.place[a.Root], sum)
	}
}

func levelsAllreduce(t *Team) {
	l, a := t.levels, &t.args
	sum := Buffer{Data: a.Recv.Data[:len(a.Send.Data)]}
	t.step(l.node, Args{Kind: Reduce, Op: a.Op, InPlace: a.InPlace, Send: Buffer{Data: a.Send.Data}, Recv: sum})
	if l.leaders != nil {
		t.step(l.leaders, Args{Kind: Allreduce, Op: a.Op, InPlace: true, Send: sum, Recv: sum})
	}
	t.step(l.node, bcastOf(sum.Data, 0))
}

func levelsGather(t *Team) {
	l, a, n := t.levels, &t.args, t.size
	var all []byte // in the order of the nodes
	if t.Rank == a.Root || l.leaders != nil && l.here == l.where[a.Root] {
		all = t.inNodeOrder(a.Recv.Data, t.Rank == a.Root)
	}
	var own []byte // of the node
	if l.leaders != nil {
		own = make([]byte, len(l.nodes[l.here])*n)
	}
	t.step(l.node, Args{Kind: Gather, Send: Buffer{Data: a.Send.Data}, Recv: Buffer{Data: own, Block: n}})
	if l.leaders != nil {
		g := Args{Kind: Gather, Root: l.where[a.Root], Irregular: !l.even, Send: Buffer{Data: own}, Recv: l.byNode(all, n)}
		t.step(l.leaders, g)
	}
	if l.here == l.where[a.Root] {
		t.hand(0, l.place[a.Root], all)
	}
	if t.Rank == a.Root {
		t.inMemberOrder(&a.Recv, all)
	}
}

func levelsScatter(t *Team) {
	l, a, n := t.levels, &t.args, t.size
	var all []byte
	if t.Rank == a.Root || l.leaders != nil && l.here == l.where[a.Root] {
		all = t.inNodeOrder(a.Send.Data, t.Rank == a.Root)
	}
	if t.Rank == a.Root && !l.inOrder {
		at := 0
		for _, members := range l.nodes {
			for _, member := range members {
				at += copy(all[at:], a.Send.Part(member))
			}
		}
	}
	if l.here == l.where[a.Root] {
		t.hand(l.place[a.Root], 0, all)
	}
	var own []byte
	if l.leaders != nil {
		own = make([]byte, len(l.nodes[l.here])*n)
		s := Args{Kind: Scatter, Root: l.where[a.Root], Irregular: !l.even, Send: l.byNode(all, n), Recv: Buffer{Data: own}}
		t.step(l.leaders, s)
	}
	t.step(l.node, Args{Kind: Scatter, Send: Buffer{Data: own, Block: n}, Recv: Buffer{Data: a.Recv.Data}})
}

func levelsAllgather(t *Team) {
	l, a, n := t.levels, &t.args, t.size
	all := t.inNodeOrder(a.Recv.Data, true)
	blocks := l.byNode(all, n)
	var own []byte // a part of all
	if l.leaders != nil {
		own = blocks.Part(l.here)
	}
	t.step(l.node, Args{Kind: Gather, Send: Buffer{Data: a.Send.Data}, Recv: Buffer{Data: own, Block: n}})
	if l.leaders != nil {
		t.step(l.leaders, Args{Kind: Allgather, InPlace: true, Irregular: !l.even, Send: Buffer{Data: own}, Recv: blocks})
	}
	t.step(l.node, bcastOf(all, 0))
	t.inMemberOrder(&a.Recv, all)
}

// levelsAlltoall: the leader of a node has all that its members send, by sender. What goes to
// another node is one message, by receiver. So is what comes from there: each receiver's part
// is put together from all of them.
func levelsAlltoall(t *Team) {
	l, a, n := t.levels, &t.args, t.size
	here, row := l.nodes[l.here], t.Size*n
	var mine, out, in []byte
	if l.leaders != nil {
		mine, out, in = make([]byte, len(here)*row), make([]byte, len(here)*row), make([]byte, len(here)*row)
	}
	t.step(l.node, Args{Kind: Gather, Send: Buffer{Data: a.Send.Data[:row]}, Recv: Buffer{Data: mine, Block: row}})
	if l.leaders != nil {
		at := 0
		for _, there := range l.nodes {
			for _, to := range there {
				for from := range here {
					at += copy(out[at:], mine[from*row+to*n:][:n])
				}
			}
		}
		k := len(here) * n
		t.step(l.leaders, Args{Kind: Alltoall, Irregular: !l.even, Send: l.byNode(out, k), Recv: l.byNode(in, k)})
		at = 0
		for _, there := range l.nodes {
			for to := range here {
				for i, from := range there {
					copy(mine[to*row+from*n:], in[at+(to*len(there)+i)*n:][:n])
				}
			}
			at += len(there) * k
		}
	}
	t.step(l.node, Args{Kind: Scatter, Send: Buffer{Data: mine, Block: row}, Recv: Buffer{Data: a.Recv.Data[:row]}})
}

// inNodeOrder returns memory for the blocks of all members in the order of the nodes: the
// buffer, if this member has one and its order is the same.
func (t *Team) inNodeOrder(buf []byte, have bool) []byte {
	if have && t.levels.inOrder {
		return buf[:t.Size*t.size]
	}
	return make([]byte, t.Size*t.size)
}

// inMemberOrder puts blocks that are in the order of the nodes into their places.
func (t *Team) inMemberOrder(to *Buffer, all []byte) {
	if t.levels.inOrder {
		return
	}
	for _, members := range t.levels.nodes {
		for _, member := range members {
			all = all[copy(to.Part(member), all):]
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
