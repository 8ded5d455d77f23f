package board

import "github.com/gopvas/gopvas/internal/job"

// The tree of a board whose members run in several domains. The cores of a domain have a last cache in common: between
// them a cache line passes several times faster than between domains. Between nodes of memory it passes slowest.
//
// # Invariant
//
// A member other than the first has one parent, with a lower number. Of the members of a domain only the first has its
// parent in another domain. Of the members of a node only the first has it on another node. So what goes up the tree,
// or down, crosses each domain's border once.

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

	groups [][]int32 // the members of each domain
	of     []int32   // the domain of each member, as a place in groups
	group  int       // that of this member
}

// child is a child of this member.
type child struct {
	member    int
	at, count int // place of the members below it, itself among them, behind this member in the order, and their number
}

// fewInDomain is how many members a domain has at least, on average, for a tree to be of use. With fewer the lines of
// nearly all members cross anyway.
const fewInDomain = 2

// growTree returns the tree of the members, nil if there is to be none. All get the same one.
func (m *Members) growTree() *tree {
	first := m.domain(0)
	if m.Flat || m.Oversubscribed || first == job.NoDomain {
		return nil
	}
	for i := 1; ; i++ {
		if i >= m.Size {
			return nil
		}
		if m.domain(i) != first {
			break
		}
	}
	domains := m.domains()
	firsts, caches, nodes := map[job.Domain]int32{}, map[int]int32{}, map[int]int32{}
	for i, d := range domains {
		lower(firsts, d, i)
		lower(caches, d.L3, i)
		lower(nodes, d.NUMA, i)
	}
	if len(firsts) < 2 || m.Size < fewInDomain*len(firsts) {
		return nil
	}
	parents := make([]int32, m.Size)
	for i, d := range domains {
		if parents[i] = firsts[d]; parents[i] != int32(i) {
			continue
		}
		around := nodes[d.NUMA]
		if len(nodes) == len(firsts) { // a cache has several nodes
			around = caches[d.L3]
		}
		if parents[i] = around; around == int32(i) {
			parents[i] = 0
		}
	}
	t := newTree(m.Rank, parents)
	number := map[job.Domain]int{}
	for i, d := range domains {
		if firsts[d] == int32(i) {
			number[d] = len(t.groups)
			t.groups = append(t.groups, nil)
		}
		t.groups[number[d]] = append(t.groups[number[d]], int32(i))
		t.of = append(t.of, int32(number[d]))
	}
	t.group = number[domains[m.Rank]]
	return t
}

// lower keeps the first member that is somewhere.
func lower[T comparable](firsts map[T]int32, at T, member int) {
	if _, ok := firsts[at]; !ok {
		firsts[at] = int32(member)
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
	if b.tree == nil {
		return b.Rank % lanes
	}
	groups := len(b.tree.groups)
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
