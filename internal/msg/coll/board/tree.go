package board

import (
	"slices"

	"github.com/gopvas/gopvas/internal/node/job"
)

// The tree of a board that has many members, or members in several domains. The cores of a domain have a last cache in
// common: between them a cache line passes several times faster than between domains. Between nodes of memory it passes
// slowest.
//
// # Invariant
//
// A member other than the first has one parent, with a lower number. Of the members of a domain only the first has its
// parent in another domain. Of the members of a node only the first has it on another node. So what goes up the tree,
// or down, crosses each domain's border once. Who meets at one place does so by number: see fan.
//
// # Model
//
// A move is the way of a line from one core to another. A core waits for one move at a time, and a line makes
// one at a time. Where n members meet at one counter its line moves n times, and then that of the release. In a
// tree each level costs a parent one move to arrive, and those of the lines of its k children. On the way back it costs
// one to write the line of the release, and k until all children have read it: 2(k+1) moves. So all levels cost
// 2(k+1) log(n)/log(k), least for k = 4. TestTimeOfMany counts for 64 members:
//
//	                 one counter   k = 2    3    4    5    8
//	barrier                   72      32   28   27   31   31
//	allreduce of 8 B         274      47   39   35   39   41
//
// Members that share CPUs have no tree: they wait for turns, and each level is one more. Up to MostMembers have a ring.

// tree is the tree as one member sees it. Its order is that in which a member comes before its children, and the
// members below one child before the next child.
type tree struct {
	parent   int     // of this member; -1: it is the first
	children []child // of this member, in the order of their numbers
	order    []int32 // the place of each member in the order

	up     []blocks // of each member: see gather.go
	down   []block  // likewise
	load   Load     // of the call that is underway, or the last one
	loaded bool     // the one that is underway has a load
	answer []byte   // of the first member: see Answer

	met     uint64 // calls that this member has arrived in
	awaited int    // the child that this member waits for

	groups [][]int32 // the members of each domain; nil: all are in one, or nothing is known
	of     []int32   // the domain of each member, as a place in groups
	group  int       // that of this member
}

// child is a child of this member.
type child struct {
	member    int
	at, count int // place of the members below it, itself among them, behind this member in the order, and their number
}

// fewInDomain is how many members a domain has at least, on average, for the tree to go by domains. With fewer the
// lines of nearly all members cross anyway.
const fewInDomain = 2

// fanOut is how many children a member has of those who meet at one place. No more than mostFlat need no levels.
const (
	fanOut   = 4
	mostFlat = 8
)

// growTree returns the tree of the members, nil if there is to be none. All get the same one.
func (m *Members) growTree() *tree {
	if m.Flat || m.Oversubscribed {
		return nil
	}
	var groups, around [][]int32
	if m.spread() {
		groups, around = m.byDomain()
	}
	if groups == nil && m.Size <= MostMembers {
		return nil // they have a ring
	}
	parents := make([]int32, m.Size)
	if groups == nil {
		fan(parents, m.all())
		return newTree(m.Rank, parents)
	}
	for _, g := range slices.Concat(groups, around, [][]int32{firsts(around)}) {
		fan(parents, g)
	}
	t := newTree(m.Rank, parents)
	t.groups, t.of = groups, make([]int32, m.Size)
	for i, g := range groups {
		for _, member := range g {
			t.of[member] = int32(i)
		}
	}
	t.group = int(t.of[m.Rank])
	return t
}

// spread tells whether members are known to run in several domains.
func (m *Members) spread() bool {
	first := m.domain(0)
	for i := 1; i < m.Size && first != job.NoDomain; i++ {
		if m.domain(i) != first {
			return true
		}
	}
	return false
}

// byDomain returns the members of each domain, and the first members of the domains that are close to one another: on a
// node of memory, or at a cache that has several nodes. It returns nil if it is of no use to know them.
func (m *Members) byDomain() (groups, around [][]int32) {
	domains := m.domains()
	groups = group(m.all(), func(member int32) job.Domain { return domains[member] })
	if len(groups) < 2 || m.Size < fewInDomain*len(groups) {
		return nil, nil
	}
	heads := firsts(groups)
	around = group(heads, func(member int32) int { return domains[member].NUMA })
	if len(around) == len(groups) {
		around = group(heads, func(member int32) int { return domains[member].L3 })
	}
	return groups, around
}

// group returns the members that are at the same place, of each place, in the order of the first ones.
func group[T comparable](members []int32, place func(member int32) T) (groups [][]int32) {
	number := map[T]int{}
	for _, member := range members {
		i, ok := number[place(member)]
		if !ok {
			i = len(groups)
			number[place(member)], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], member)
	}
	return groups
}

func firsts(groups [][]int32) (list []int32) {
	for _, g := range groups {
		list = append(list, g[0])
	}
	return list
}

func without(members []int32, member int) (list []int32) {
	for _, m := range members {
		if m != int32(member) {
			list = append(list, m)
		}
	}
	return list
}

func (m *Members) all() (list []int32) {
	for i := range int32(m.Size) {
		list = append(list, i)
	}
	return list
}

// fan has members meet at the first of them, by their places in the list.
func fan(parents, members []int32) {
	out := fanOut
	if len(members) <= mostFlat {
		out = mostFlat
	}
	for i := 1; i < len(members); i++ {
		parents[members[i]] = members[(i-1)/out]
	}
}

func (m *Members) domain(member int) job.Domain { return m.Job.Domain(m.world(member)) }

// domains returns where the members run. What is not known of one of them is taken to be the same for all.
func (m *Members) domains() []job.Domain {
	list := make([]job.Domain, m.Size)
	var unknown job.Domain
	for i := range list {
		list[i] = m.domain(i)
		unknown.L3, unknown.NUMA = min(unknown.L3, list[i].L3), min(unknown.NUMA, list[i].NUMA)
	}
	for i := range list {
		if unknown.L3 < 0 {
			list[i].L3 = 0
		}
		if unknown.NUMA < 0 {
			list[i].NUMA = 0
		}
	}
	return list
}

// newTree makes the tree from the parents, each of which comes before its children.
func newTree(rank int, parents []int32) *tree {
	size := len(parents)
	t := &tree{parent: int(parents[rank]), order: make([]int32, size)}
	below, next := make([]int32, size), make([]int32, size) // the members below each, and the place of its next child
	for m := size - 1; m >= 0; m-- {
		if below[m]++; m > 0 {
			below[parents[m]] += below[m]
		}
	}
	next[0] = 1
	for m := 1; m < size; m++ {
		p := parents[m]
		t.order[m] = next[p]
		next[p] += below[m]
		next[m] = t.order[m] + 1
		if int(p) == rank {
			c := child{member: m, at: int(t.order[m] - t.order[rank]), count: int(below[m])}
			t.children = append(t.children, c)
		}
	}
	if rank == 0 {
		t.parent, t.answer = -1, make([]byte, RingData)
	}
	return t
}

// has tells whether a member is below the child.
func (t *tree) has(own int, c *child, member int) bool {
	at := int(t.order[member]-t.order[own]) - c.at
	return at >= 0 && at < c.count
}

// Treed tells whether the members meet in a tree.
func (b *Board) Treed() bool { return b.tree != nil }

// Groups returns the members of each domain; nil: there is one.
func (b *Board) Groups() [][]int32 {
	if b.tree == nil {
		return nil
	}
	return b.tree.groups
}

// firstLane returns the lane where this member begins to take work. Units are in the order of the groups, or of the
// members. So each member begins with those of its own group, if its members follow one another.
func (b *Board) firstLane(lanes int) int {
	groups := len(b.Groups())
	if groups == 0 {
		return b.Rank % lanes
	}
	from, to := b.tree.group*lanes/groups, (b.tree.group+1)*lanes/groups
	return from + b.Rank%max(1, to-from)
}

func (t *tree) clear() {
	for i := range t.up {
		for j := range t.up[i] {
			t.up[i][j].ready.Store(0)
		}
		t.down[i].ready.Store(0)
	}
}
