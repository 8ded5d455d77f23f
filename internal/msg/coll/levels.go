package coll

import "github.com/gopvas/gopvas/internal/msg/coll/cad"

// Collectives of a team whose members are on several nodes are made of steps in smaller teams:
// that of the members of each node, who share memory, and that of the leaders, the first member
// of each node. A vector or block that all members of a node want crosses the network once.
// Nonblocking calls have the same steps as a graph, all of it by messages: graph_levels.go.
//
// # Steps
//
// A step is a call of one of these teams, with the algorithms of any team of its kind. It has
// the signature of the whole call, so members in different calls are found out as ever. All
// members of a team take part in its steps, also after a failure: then in the way that tells
// the others. By messages the transport does that (message.Transport.Failed), at a board inherit, or ahead.
//
// # One context
//
// All these teams have one context: no two ranks are together in two of them. Members of a node
// team are on one node, and any two leaders on two nodes.
//
// # The order of reductions
//
// A node's members are combined in the order of package order, then the nodes likewise. That is the order of all if
// each node has a block of it. Else short vectors are handed on to the leaders, which combine those of all. The bits of
// long ones depend on the placement; so such a team does not work in steps if it is to give the same bits for any
// (Choice.Reproducible). An operator that does not commute needs teams in which the members of each node follow one
// another.
type levels struct {
	nodes   [][]int // members of each node, in order; the nodes by their first members
	where   []int   // node of each member
	place   []int   // of each member among those of its node
	inOrder bool    // the members of each node follow one another
	even    bool    // all nodes have as many members
	aligned bool    // the members of each node are a block of package order

	first []int // leader of each node

	here    int   // this member's node
	node    *Team // of the members of this node
	leaders *Team // nil: this member is none
}

// findLevels finds out where the members are. It returns nil unless they are on several nodes, and
// some node has several of them.
func (t *Team) findLevels() *levels {
	l := &levels{where: make([]int, t.Size), place: make([]int, t.Size), inOrder: true, even: true}
	number := map[int]int{}
	for member := range t.Size {
		node, known := number[t.Job.Node(t.world(member))]
		if !known {
			node = len(l.nodes)
			number[t.Job.Node(t.world(member))] = node
			l.nodes = append(l.nodes, nil)
		}
		l.where[member], l.place[member] = node, len(l.nodes[node])
		l.nodes[node] = append(l.nodes[node], member)
		l.inOrder = l.inOrder && node == len(l.nodes)-1
	}
	if len(l.nodes) < 2 || len(l.nodes) == t.Size {
		return nil
	}
	for _, members := range l.nodes {
		l.first = append(l.first, members[0])
		l.even = l.even && len(members) == len(l.nodes[0])
	}
	l.aligned = l.inOrder && l.blocks()
	l.here = l.where[t.Rank]
	l.node = t.among(l.nodes[l.here], l.place[t.Rank])
	if l.place[t.Rank] == 0 {
		l.leaders = t.among(l.first, l.here)
	}
	t.Engine.Explain(t.Inner, t.explain)
	return l
}

// blocks tells whether the nodes have as many members as a block, all the same, but for the last one.
func (l *levels) blocks() bool {
	length := len(l.nodes[0])
	for _, members := range l.nodes[:len(l.nodes)-1] {
		if len(members) != length {
			return false
		}
	}
	return length&(length-1) == 0 && len(l.nodes[len(l.nodes)-1]) <= length
}

// among returns a team of some members, for their steps. This member has a place among them.
func (t *Team) among(members []int, place int) *Team {
	s := &Team{
		Engine: t.Engine, Job: t.Job, Context: t.Inner, Rank: place, Size: len(members),
		Describe: t.Describe, Name: t.Name, Boards: t.Boards, Apart: t.Apart, Revoked: t.Revoked,
	}
	for _, member := range members {
		s.World = append(s.World, int32(t.world(member)))
	}
	s.whole = t
	s.known = true // the hang report explains the waits of the whole team, not those of a step
	s.connect()
	whole := func(rank int) bool { return t.member(rank) >= 0 }
	if s.transport.Failed, s.transport.Whole = &s.failure, whole; s.board != nil {
		s.board.Whole = whole
	}
	return s
}

// step does a part of the present call in a team of some of the members.
func (t *Team) step(s *Team, a Args) {
	if t.broken != nil {
		return
	}
	s.turn++
	s.called, s.args, s.call = t.called, a, t.call
	s.failure, s.broken = t.failure, nil
	s.size = s.args.agreed()
	l := s.choose()
	s.last = l.name
	if s.failure.Fault != 0 && l.run != nil && !l.ahead {
		s.inherit()
	} else {
		s.execute(l)
	}
	t.failure, t.broken = s.failure, s.broken
	s.args, s.called = Args{}, ""
}

// inherit takes part in a call at the board for which this member has failed before. All
// members then have the failure.
func (t *Team) inherit() {
	f := t.failure
	t.args, t.size, t.call = Args{}, 0, cad.RefusedCall(cad.Operation(t.call))
	t.board.Inherit(f)
}

// hand sends a buffer from one member of a node to another. All members of the node call it.
func (t *Team) hand(from, to int, buf []byte) {
	if from == to || t.broken != nil {
		return
	}
	node := t.levels.node
	b := newBuilder(node, Args{})
	b.whole = true
	switch node.Rank {
	case from:
		b.send(buf, to)
	case to:
		b.recv(buf, from)
	}
	b.g.Tie()
	b.g.Signature = t.call
	node.failure, node.called = t.failure, t.called
	t.broken = node.runGraph(&node.transport, b.g)
	t.failure, node.called = node.failure, ""
}

// place and arrange are what steps of a call that blocks do between them.

func (t *Team) place(to, from []byte) { copy(to, from) }

func (t *Team) arrange(_ *Op, f func()) {
	defer t.noteOperator(&t.failure)
	f()
}
