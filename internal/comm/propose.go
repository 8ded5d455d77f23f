package comm

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/mpi/fault"
)

// proposal is what a member brings to the making of communicators: where it wants to
// be, and an id in case that it is to lead.
type proposal struct {
	color, key int64
	call       called
	id         uint32 // worldID: this member has none left
	refused    bool   // this member's arguments are wrong
	data       []byte // anything else
}

// called is the operation that members of a circle call.
type called struct {
	name   string // which stays on this rank
	number uint64 // of the operation and what all members have to pass alike
}

const proposalSize = 8 + 8 + 8 + 4 + 1

func (p *proposal) encode() []byte {
	b := make([]byte, 0, proposalSize+len(p.data))
	b = binary.LittleEndian.AppendUint64(b, uint64(p.color))
	b = binary.LittleEndian.AppendUint64(b, uint64(p.key))
	b = binary.LittleEndian.AppendUint64(b, p.call.number)
	b = binary.LittleEndian.AppendUint32(b, p.id)
	refused := byte(0)
	if p.refused {
		refused = 1
	}
	return append(append(b, refused), p.data...)
}

func decodeProposal(b []byte) (p proposal, err error) {
	if len(b) < proposalSize {
		return p, fmt.Errorf("agreement: a proposal of %d bytes", len(b))
	}
	return proposal{
		color:   int64(binary.LittleEndian.Uint64(b)),
		key:     int64(binary.LittleEndian.Uint64(b[8:])),
		call:    called{number: binary.LittleEndian.Uint64(b[16:])},
		id:      binary.LittleEndian.Uint32(b[24:]),
		refused: b[28] != 0,
		data:    b[proposalSize:],
	}, nil
}

// callOf is an operation with arguments that all members have to pass alike. Different ones
// have the same number only by a rare accident.
func callOf(op string, arguments ...any) called {
	h := fnv.New64a()
	fmt.Fprint(h, op, arguments) // a hash does not fail
	return called{op, h.Sum64()}
}

// propose exchanges proposals among the members of a circle. badArguments is what is
// wrong with those of this one: it takes part nevertheless, so that all fail and none
// waits. Whether it fails, apart from a loss, is the same for all.
func (t circle) propose(p proposal, badArguments error) ([]proposal, error) {
	p.refused = badArguments != nil
	t.explain(p.call.name)
	parts, err := t.exchange(p.encode())
	if err != nil {
		return nil, err
	}
	all := make([]proposal, len(parts))
	var bad error
	for i, part := range parts {
		if all[i], err = decodeProposal(part); err != nil {
			return nil, err
		}
		switch {
		case bad != nil:
		case all[i].refused:
			bad = fmt.Errorf("rank %d has passed bad arguments: its own error says which", i)
		case all[i].call.number != all[0].call.number:
			bad = fmt.Errorf("rank %d does not call the same operation with the same arguments as rank 0", i)
		}
	}
	if badArguments != nil {
		bad = badArguments
	}
	return all, bad
}

// membersOf returns the ranks with a color, in the order of their keys and, where those
// are the same, their ranks.
func membersOf(color int64, all []proposal) []int {
	var ranks []int
	for rank := range all {
		if all[rank].color == color {
			ranks = append(ranks, rank)
		}
	}
	slices.SortStableFunc(ranks, func(a, b int) int { return cmp.Compare(all[a].key, all[b].key) })
	return ranks
}

// agreed is what the members of a circle that propose the same color agree on.
type agreed struct {
	members []int      // their places in the circle, the leader first; nil: this one proposes Undefined
	id      uint32     // for what they make
	all     []proposal // of the circle, by place
}

// agree has the members of a circle propose. arrange, if it is not nil, puts those of one
// color in another order than that of their keys.
func (c *Comm) agree(t circle, p proposal, badArguments error, arrange func([]int) []int) (agreed, error) {
	p.id = c.contexts.take()
	all, err := t.propose(p, badArguments)
	c.contexts.settle(c.engine)
	if err != nil {
		// After a loss others may not know of it, and use the id.
		if !isLost(err) {
			c.contexts.give(p.id)
		}
		return agreed{}, err
	}
	if p.color == Undefined {
		c.contexts.give(p.id)
		return agreed{all: all}, nil
	}
	members := membersOf(p.color, all)
	if arrange != nil {
		members = arrange(members)
	}
	leader := members[0]
	if leader != t.rank {
		c.contexts.give(p.id)
	}
	if all[leader].id == worldID {
		return agreed{}, errNoContext(int(t.ranks[leader]))
	}
	return agreed{members, all[leader].id, all}, nil
}

// ranksOf returns the job's ranks of some members.
func (t circle) ranksOf(members []int) []int32 {
	ranks := make([]int32, len(members))
	for i, member := range members {
		ranks[i] = t.ranks[member]
	}
	return ranks
}

// create makes a communicator of the members of a circle that propose the same color;
// nil for those who propose Undefined. It also returns all proposals, by rank.
func (c *Comm) create(t circle, p proposal, badArguments error) (*Comm, []proposal, error) {
	a, err := c.agree(t, p, badArguments, nil)
	if err != nil || a.members == nil {
		return nil, a.all, err
	}
	g := c.group
	if ranks := t.ranksOf(a.members); !slices.Equal(ranks, g.ranks) {
		g = newGroup(g.self, ranks)
	}
	return c.newComm(g, a.id), a.all, nil
}

// createAmongAll is create among all members of c, one call at a time.
func (c *Comm) createAmongAll(p proposal, badArguments error) (*Comm, []proposal, error) {
	if err := c.lockCollective(); err != nil {
		return nil, nil, err
	}
	defer c.mu.Unlock()
	if c.remote() != nil {
		return c.createBetween(p, badArguments)
	}
	return c.create(c.everyone(), p, badArguments)
}

// rootDoes has the root do something, and tells all members what came of it: texts, also beside an error. The caller
// holds the lock.
func (c *Comm) rootDoes(op string, root int, bad error, do func() ([]string, error)) (texts []string, err error) {
	t := c.everyone()
	switch {
	case bad != nil:
	case c.remote() != nil:
		bad = ErrInter
	case uint(root) >= uint(c.size):
		bad = &fault.RankError{Rank: root, Size: c.size}
	}
	if _, err := t.propose(proposal{call: callOf(op, root)}, bad); err != nil {
		return nil, err
	}
	told := proposal{call: callOf(op)}
	var mine error
	if c.rank == root {
		if texts, mine = do(); mine != nil {
			told.data = job.EncodeTexts(append(job.Refuse(mine), texts...))
		} else {
			told.data = job.EncodeTexts(job.Grant(texts...))
		}
	}
	all, err := t.propose(told, nil)
	if mine != nil {
		return texts, mine
	}
	if err != nil {
		return nil, err
	}
	return job.Granted(job.DecodeTexts(all[root].data))
}
