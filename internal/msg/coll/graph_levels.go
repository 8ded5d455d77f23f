package coll

// The steps of a call on levels as parts of one graph, whose members are those of the whole team.
// A step is what the builder of an algorithm by messages adds for the smaller team. At each
// member a step comes after all that the member has in those before. Members reach the steps at
// different times: that is all they have to agree about, since each pair of members adds the
// nodes of its messages in the same order.

// step adds a call in a team of some members.
func (b *builder) step(of *Team, a Args) {
	b.settle()
	s := &builder{t: of, a: a, g: b.g, whole: true, first: b.first, members: b.t.levels.nodes[b.t.levels.here]}
	if of == b.t.levels.leaders {
		s.members = b.t.levels.first
	}
	of.chooseStep(&a).build(s)
	b.settle()
}

// settle has what is added next come after all that there is.
func (b *builder) settle() { b.first = b.g.JoinLast() }

// chooseStep returns the algorithm of a step in a graph.
func (t *Team) chooseStep(a *Args) *algorithm {
	return t.pick(a, "", "", func(l *algorithm) func(*Team, int) bool {
		if l.build == nil {
			return nil
		}
		return l.suits
	})
}

// member returns the number in the graph of a member of the builder's team.
func (b *builder) member(place int) int {
	if b.members == nil {
		return place
	}
	return b.members[place]
}

// hand adds a message between two members of this node.
func (b *builder) hand(from, to int, buf []byte) {
	b.settle()
	l := b.t.levels
	here := l.nodes[l.here]
	switch place := l.place[b.t.Rank]; {
	case from == to:
	case place == from:
		b.send(buf, here[to])
	case place == to:
		b.recv(buf, here[from])
	}
	b.settle()
}

// place adds a copy. Those that follow one another do not wait for one another.
func (b *builder) place(to, from []byte) { b.copy(to, from) }

// arrange adds a function, which must not look at the buffers of the call: a graph that is used
// again has others. An operator of the program is called by this rank alone.
func (b *builder) arrange(op *Op, f func()) {
	b.settle()
	b.link(b.inner(b.g.Call(f), op == nil || op.Name != 0), nil)
	b.settle()
}

// temp is make: a graph keeps its memory.
func (b *builder) temp(n int) []byte { return make([]byte, n) }

var _, _ stepper = (*Team)(nil), (*builder)(nil)
