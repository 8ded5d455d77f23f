package comm

import (
	"cmp"
	"slices"

	"github.com/gopvas/gopvas/internal/msg/coll"
	"github.com/gopvas/gopvas/internal/msg/comm/agree"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/mpi/fault"
)

// everyone is the circle of all members of c. The caller is inside (entry).
func (c *Comm) everyone() agree.Circle {
	t := c.circle(c.Name, agreement.of(idOf(c.context)), 0, c.members.ranks, c.members.rank)
	t.Within = coll.Within(c.team)
	return t
}

// with is the circle of another rank of the job, with which this one exchanges proposals.
func (c *Comm) with(rank int, context uint32, tag int) agree.Circle {
	return c.circle(c.Name, context, tag, []int32{int32(rank)}, 0)
}

// circle is the circle of some ranks, of which this one has a place.
func (p *process) circle(name func() string, context uint32, tag int, ranks []int32, rank int) agree.Circle {
	return agree.Circle{Engine: p.engine, Context: context, Tag: tag, Ranks: ranks, Rank: rank, Name: name}
}

// membersOf returns the ranks with a color, in the order of their keys and, where those
// are the same, their ranks.
func membersOf(color int64, all []agree.Proposal) []int {
	var ranks []int
	for rank := range all {
		if all[rank].Color == color {
			ranks = append(ranks, rank)
		}
	}
	slices.SortStableFunc(ranks, func(a, b int) int { return cmp.Compare(all[a].Key, all[b].Key) })
	return ranks
}

// agreed is what the members of a circle that propose the same color agree on.
type agreed struct {
	members []int            // their places in the circle, the leader first; nil: this one proposes Undefined
	id      uint64           // for what they make
	all     []agree.Proposal // of the circle, by place
}

// agree has the members of a circle propose. arrange, if it is not nil, puts those of one
// color in another order than that of their keys.
func (p *process) agree(t agree.Circle, mine agree.Proposal, badArguments error,
	arrange func([]int) []int) (agreed, error) {
	mine.ID = p.contexts.take()
	all, err := t.Propose(mine, badArguments)
	p.contexts.settle()
	if err != nil {
		// After a loss others may not know of it, and use the id.
		if !isLost(err) {
			p.contexts.give(mine.ID)
		}
		return agreed{all: all}, err
	}
	if mine.Color == Undefined {
		p.contexts.give(mine.ID)
		return agreed{all: all}, nil
	}
	members := membersOf(mine.Color, all)
	if arrange != nil {
		members = arrange(members)
	}
	leader := members[0]
	if leader != t.Rank {
		p.contexts.give(mine.ID)
	}
	if all[leader].ID == worldID {
		return agreed{}, errNoContext(int(t.Ranks[leader]))
	}
	return agreed{members, all[leader].ID, all}, nil
}

// create makes a communicator of the members of a circle that propose the same color;
// nil for those who propose Undefined. It also returns all proposals, by rank.
func (c *Comm) create(t agree.Circle, p agree.Proposal, badArguments error) (*Comm, []agree.Proposal, error) {
	a, err := c.agree(t, p, badArguments, nil)
	if err != nil || a.members == nil {
		return nil, a.all, err
	}
	g := c.group
	if ranks := t.RanksOf(a.members); !slices.Equal(ranks, g.ranks) {
		g = newGroup(g.self, ranks)
	}
	return c.newComm(g, a.id), a.all, nil
}

// createAmongAll is create among all members of c, one call at a time.
func (c *Comm) createAmongAll(p agree.Proposal, badArguments error) (_ *Comm, _ []agree.Proposal, err error) {
	if err := c.enter("a call that makes a communicator"); err != nil {
		return nil, nil, err
	}
	defer leave(c, "", &err)
	if c.remote() != nil {
		return c.createBetween(p, badArguments)
	}
	return c.create(c.everyone(), p, badArguments)
}

// rootDoes has the root do something, and tells all members what came of it: texts, also beside an error. The caller
// is inside.
func (c *Comm) rootDoes(op string, root int, bad error, do func() ([]string, error)) (texts []string, err error) {
	t := c.everyone()
	switch {
	case bad != nil:
	case c.remote() != nil:
		bad = ErrInter
	case uint(root) >= uint(c.size):
		bad = &fault.RankError{Rank: root, Size: c.size}
	}
	if _, err := t.Propose(agree.Proposal{Call: agree.CallOf(op, root)}, bad); err != nil {
		return nil, err
	}
	told := agree.Proposal{Call: agree.CallOf(op)}
	var mine error
	if c.rank == root {
		if texts, mine = do(); mine != nil {
			told.Data = job.EncodeTexts(append(job.Refuse(mine), texts...))
		} else {
			told.Data = job.EncodeTexts(job.Grant(texts...))
		}
	}
	all, err := t.Propose(told, nil)
	if mine != nil {
		return texts, mine
	}
	if err != nil {
		return nil, err
	}
	return job.Granted(job.DecodeTexts(all[root].Data))
}
