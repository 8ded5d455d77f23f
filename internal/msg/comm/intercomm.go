package comm

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/gopvas/gopvas/internal/msg/coll"
	"github.com/gopvas/gopvas/internal/msg/comm/agree"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/mpi/fault"
)

// An intercommunicator joins two groups that have no rank in common. Ranks in messages are
// those of the remote group; Rank, Size and Group are of the caller's own. Collective
// operations go from one group to the other: see Across. It is freed, copied and split as
// other communicators are, by all ranks of both groups.
//
// Its members, for collective operations and for agreement, are the ranks of both groups in
// one order: first the group that has the lowest rank of the job. Their rank 0 leads.

// ErrInter means that the operation does not exist for intercommunicators.
var ErrInter = errors.New("the communicator joins two groups: use one of a single group, such as Merge makes")

// ErrNotInter means that the operation exists for intercommunicators only.
var ErrNotInter = errors.New("the communicator is of a single group: use one that connects two groups")

// RemoteGroup returns the other group of an intercommunicator, nil if c is none.
//
// MPI 4.1 section 7.6.1 (MPI_Comm_remote_group).
func RemoteGroup(c *Comm) *Group { return c.remote() }

func (c *Comm) remote() *Group {
	if c == nil || c.peers == c.group {
		return nil
	}
	return c.peers
}

const createIntercomm = "create intercommunicator"

// IntercommCreate joins the ranks of local with those of another communicator, whose leader
// is rank remoteLeader of peer. The leader of local has peer; for the others it may be nil.
// It is collective over both groups, which have no rank in common. Messages between the
// leaders have the tag, in a context of their own.
//
// MPI 4.1 section 7.6.2 (MPI_Intercomm_create).
func IntercommCreate(local *Comm, leader int, peer *Comm, remoteLeader, tag int) (*Comm, error) {
	what := func() string { return job.OfTag(fmt.Sprintf("%d on communicator %q", tag, peer.Name())) }
	return local.intercommCreate(leader, peer, remoteLeader, tag, what)
}

// IntercommFromGroups is IntercommCreate where local is from CreateFromGroup, with the same text.
func IntercommFromGroups(local *Comm, leader int, world *Comm, remoteLeader int, text string) (*Comm, error) {
	what := func() string { return job.OfTag(text + " of ranks " + local.group.list()) }
	return local.intercommCreate(leader, world, remoteLeader, tagOf(text), what)
}

// intercommCreate is IntercommCreate; what is for the report of a hang.
func (local *Comm) intercommCreate(leader int, peer *Comm, remoteLeader, tag int,
	what func() string) (_ *Comm, err error) {
	const op = createIntercomm
	if err := local.enter(op); err != nil {
		return nil, Wrap(op, err)
	}
	defer leave(local, op, &err)
	n, err := local.joinRemote(op, leader, checkJoin(local, leader, peer, remoteLeader, tag),
		func(p agree.Proposal, _ int) (agree.Proposal, error) {
			return leadersMeet(p, peer, remoteLeader, tag, what)
		})
	return n, Wrap(op, err)
}

// meetLeader exchanges proposals with the leader of the other group, whom it finds in round 0. Round 1 follows if that
// has succeeded. It is called on the leader of a group.
type meetLeader func(p agree.Proposal, round int) (theirs agree.Proposal, err error)

// joinRemote makes the intercommunicator of local and the group of another leader. The caller is inside.
func (local *Comm) joinRemote(op string, leader int, bad error, meet meetLeader) (*Comm, error) {
	id := local.contexts.take()
	remote, given, err := local.meetRemote(op, id, leader, bad, meet)
	local.contexts.settle()
	if given != id && !isLost(err) {
		local.contexts.give(id)
	}
	if err != nil {
		return nil, err
	}
	n := local.withoutID(local.joined(local.group, newGroup(local.group.self, remote)))
	n.setID(given)
	return n, nil
}

// checkJoin returns what is wrong with the arguments of IntercommCreate.
func checkJoin(local *Comm, leader int, peer *Comm, remoteLeader, tag int) error {
	switch {
	case local.remote() != nil:
		return ErrInter
	case uint(leader) >= uint(local.size):
		return &fault.RankError{Rank: leader, Size: local.size}
	case leader != local.rank:
		return nil
	case tag < 0 || tag > MaxTag:
		return &fault.TagError{Tag: tag}
	case peer.made() != nil:
		return peer.made()
	case uint(remoteLeader) >= uint(len(peer.peers.ranks)):
		return &fault.RankError{Rank: remoteLeader, Size: len(peer.peers.ranks)}
	case peer.peers.ranks[remoteLeader] == int32(local.group.self):
		return errors.New("the remote leader is the local one: the groups have no rank in common")
	}
	return peer.usable()
}

func isLost(err error) bool {
	_, lost := errors.AsType[*fault.LostError](err)
	return lost
}

// meetRemote returns the job's ranks of the other group, and the id of the new communicator,
// which comes from the group that precedes. The leaders exchange their groups, and each tells
// its own group the result. Wrong arguments travel along, so that all ranks fail if one does.
func (c *Comm) meetRemote(op string, id uint64, leader int, bad error,
	meet meetLeader) (remote []int32, given uint64, err error) {
	t := c.everyone()
	all, bad := t.Propose(agree.Proposal{ID: id, Call: agree.CallOf(op, leader)}, bad)
	heard := agree.Proposal{Call: agree.CallOf(op)}
	var again meetLeader // the leader's, if the other one has answered
	if c.rank == leader {
		offer := agree.Proposal{Refused: bad != nil, Call: heard.Call}
		if bad == nil {
			offer.ID, offer.Data = all[0].ID, c.encodeRanks(c.group.ranks)
		}
		theirs, err := meet(offer, 0)
		if err == nil {
			again = meet
		}
		heard.Data, heard.Key = theirs.Data, int64(theirs.ID)
		switch {
		case bad != nil:
		case err != nil:
			bad = err
		case theirs.Refused:
			bad = errors.New("the other group has passed bad arguments: its own errors say which")
		default:
			if remote, bad = c.decodeRanks(theirs.Data); bad == nil {
				bad = disjoint(c.group.ranks, remote)
			}
		}
	}
	told, err := proposeOr(t, heard, bad, errOwnGroup)
	if err == nil {
		remote, err = c.decodeRanks(told[leader].Data)
	}
	if err = concur(t, heard.Call, err, again); err != nil {
		return nil, 0, err
	}
	given = uint64(told[leader].Key)
	if c.precedes(c.group.ranks, remote) {
		given = all[0].ID
	}
	if given == worldID {
		return nil, 0, errNoContext(int(min(slices.Min(remote), slices.Min(c.group.ranks))))
	}
	return remote, given, nil
}

// concur has all ranks of both groups fail if one of them fails to reach the other group. Ranks of several jobs may
// fail: each job has to know the others, and each rank to open its network. First a group agrees, then the leaders do,
// and each tells its group. mine is what is wrong here. Every living rank takes part in all of it, whatever it knows:
// none waits for another in vain.
func concur(t agree.Circle, call agree.Call, mine error, meet meetLeader) error {
	_, err := proposeOr(t, agree.Proposal{Call: call}, mine, errOwnGroup)
	if meet != nil {
		theirs, failed := meet(agree.Proposal{Call: call, Refused: err != nil}, 1)
		switch {
		case err != nil:
		case failed != nil:
			err = failed
		case theirs.Refused:
			err = errOtherGroup
		}
	}
	_, told := proposeOr(t, agree.Proposal{Call: call}, err, errOtherGroup)
	return cmp.Or(err, told)
}

// proposeOr is Propose that returns another error for what is wrong with other ranks. A loss stays what it is.
func proposeOr(t agree.Circle, p agree.Proposal, mine, others error) ([]agree.Proposal, error) {
	all, err := t.Propose(p, mine)
	if err != nil && mine == nil && !isLost(err) {
		err = others
	}
	return all, err
}

var (
	errOwnGroup   = errors.New("another rank of this group cannot join the groups: its own error says why")
	errOtherGroup = errors.New("a rank of the other group cannot join the groups, or has ended: " +
		"its own error says why")
)

// leadersMeet exchanges proposals with the leader of the other group.
func leadersMeet(p agree.Proposal, peer *Comm, remoteLeader, tag int,
	what func() string) (theirs agree.Proposal, err error) {
	if peer == nil || uint(remoteLeader) >= uint(len(peer.peers.ranks)) || tag < 0 || tag > MaxTag {
		return theirs, nil // the arguments do not say where it is
	}
	t := peer.with(int(peer.peers.ranks[remoteLeader]), grouping.of(idOf(peer.context)), tag)
	t.Name = what
	return t.Swap(p)
}

func disjoint(a, b []int32) error {
	for _, rank := range b {
		if slices.Contains(a, rank) {
			return fmt.Errorf("rank %d of the job is in both groups: they have no rank in common", rank)
		}
	}
	return nil
}

// createBetween is create for the members of an intercommunicator. The members of one color
// become an intercommunicator of their own if both groups have any. The caller is inside.
func (c *Comm) createBetween(p agree.Proposal, badArguments error) (*Comm, []agree.Proposal, error) {
	t := c.everyone()
	mine := func(member int) bool { return c.group.find(t.Ranks[member]) != Undefined }
	sides := func(members []int) (own, others []int) {
		for _, m := range members {
			if mine(m) {
				own = append(own, m)
			} else {
				others = append(others, m)
			}
		}
		return own, others
	}
	arrange := func(members []int) []int {
		low, high := sides(members)
		if len(low) > 0 && len(high) > 0 && !c.precedes(t.RanksOf(low), t.RanksOf(high)) {
			low, high = high, low
		}
		return slices.Concat(low, high)
	}
	a, err := c.agree(t, p, badArguments, arrange)
	if err != nil || a.members == nil {
		return nil, a.all, err
	}
	own, others := sides(a.members)
	if len(others) == 0 {
		if a.members[0] == t.Rank {
			c.contexts.give(a.id)
		}
		return nil, a.all, nil
	}
	self := c.group.self
	n := c.withoutID(c.joined(newGroup(self, t.RanksOf(own)), newGroup(self, t.RanksOf(others))))
	n.setID(a.id)
	return n, a.all, nil
}

// Merge returns a communicator of a single group: both groups of an intercommunicator. First
// come the ranks that pass false, then those that pass true; the ranks of a group pass the same.
// If both groups pass the same, the one with the lowest rank of the job comes first. It is
// collective, as Dup.
//
// MPI 4.1 section 7.6.2 (MPI_Intercomm_merge).
func Merge(c *Comm, high bool) (_ *Comm, err error) {
	const op = "merge"
	if c != nil && c.remote() == nil {
		return nil, Wrap(op, ErrNotInter)
	}
	if err := c.enter(op); err != nil {
		return nil, Wrap(op, err)
	}
	defer leave(c, op, &err)
	p := agree.Proposal{Call: agree.CallOf(op)}
	if high {
		p.Key = 1
	}
	n, _, err := c.create(c.everyone(), p, nil)
	return n, Wrap(op, err)
}

// Across returns a collective operation over an intercommunicator, as one exchange: out[i]
// goes to rank i of the remote group, in[i] comes from there. Where a buffer is empty there is
// no message, and the buffer at the other end is empty too. out or in may be nil. A barrier
// needs no exchange: Comm.Barrier waits for all ranks of both groups.
//
// With a root, data goes from the root to all of the remote group, or back; the others of the
// root's group do nothing. Without one, each group gets what the other sends. A reduction is an
// exchange with a hook that combines the vectors received, in the order of the ranks.
//
// MPI 4.1 section 6.2.2.
func Across(c *Comm, op string, out, in []Buffer, hooks coll.Hooks) NeighborCall {
	k := NeighborCall{Comm: c, Op: op}
	if c.remote() == nil {
		k.Wrong = ErrNotInter
		return k
	}
	k.Out, k.In, k.Hooks, k.Layouts = c.across(out), c.across(in), hooks, true
	k.Exchange.Across = true
	return k
}
