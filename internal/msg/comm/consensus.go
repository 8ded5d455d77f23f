package comm

import (
	"errors"
	"fmt"
	"math"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/comm/consensus"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/mpi/fault"
)

// Agree returns the bitwise AND of what all members pass, of both groups of an intercommunicator. It is collective, and
// works on a communicator that was revoked, too. In a job that survives all members that return have the same flag and
// the same error, whatever member fails when. The error is a *LostError, beside the flag, if a member has failed before
// it has passed anything, and some member has not acknowledged that.
//
// MPI Forum issue 20 (MPIX_Comm_agree).
func Agree(c *Comm, flag uint64) (agreed uint64, err error) {
	if err := outside(c); err != nil {
		return 0, Wrap("agree", err)
	}
	return agreeIn(c, flag)
}

// agreeIn is Agree, also on a communicator of Survive.
func agreeIn(c *Comm, flag uint64) (agreed uint64, err error) {
	const op = "agree"
	if outlasts(c) == nil && !meetInMemory(c) {
		err = agreeFar(c, flag, func(f uint64) { agreed = f }).Run()
		return agreed, err
	}
	err = awaitAgreement(c, op, func() (Request, error) { return iagree(c, flag, func(f uint64) { agreed = f }) })
	return agreed, err
}

// Iagree is Agree, nonblocking. It is begun in the same order as other agreements on c. agreed is called with the flag
// before the request is complete, under a lock: it calls nothing.
//
// MPI Forum issue 20 (MPIX_Comm_iagree).
func Iagree(c *Comm, flag uint64, agreed func(flag uint64)) (Request, error) {
	if err := outside(c); err != nil {
		return Request{}, nonblockingError("agree", err)
	}
	return iagree(c, flag, agreed)
}

func iagree(c *Comm, flag uint64, agreed func(flag uint64)) (Request, error) {
	const op = "agree"
	if err := outlasts(c); err != nil {
		return Request{}, nonblockingError(op, err)
	}
	if !meetInMemory(c) {
		return agreeFar(c, flag, agreed).Begin()
	}
	mine := consensus.Contribution{Flag: flag, Acked: lastAcknowledged(c), Kind: agreeing}
	r, err := beginAgreement(c, op, mine, func(d *consensus.Decision, failed error) error {
		if failed != nil {
			return failed
		}
		agreed(d.Flag)
		if d.Lost != 0 {
			return &fault.LostError{Rank: int(c.members.ranks[d.Lost-1])}
		}
		return nil
	})
	return r, nonblockingError(op, err)
}

// Shrink returns a communicator of the members of c that have not failed, in the order of c. All that return have the
// same members in it. The caller owns it, and frees it. It is collective, works on a communicator that was revoked,
// too, and is no failure for any that lives: that others fail meanwhile is no error. Errors and blocking are those of
// Agree; besides, intercommunicators and those of several nodes are refused.
//
// MPI Forum issue 20 (MPIX_Comm_shrink).
func Shrink(c *Comm) (n *Comm, err error) {
	const op = "shrink"
	err = awaitAgreement(c, op, func() (r Request, err error) {
		n, r, err = Ishrink(c)
		return r, err
	})
	if err != nil {
		return nil, err
	}
	n.letGo()
	return n, nil
}

// Ishrink is Shrink, nonblocking: the communicator can be used when the request is complete.
//
// MPI Forum issue 20 (MPIX_Comm_ishrink).
func Ishrink(c *Comm) (*Comm, Request, error) {
	const op = "shrink"
	err := errors.Join(outlasts(c), outside(c))
	switch {
	case err != nil:
	case c.remote() != nil:
		err = ErrInter
	case !meetInMemory(c):
		err = ErrSeveralNodes
	}
	if err != nil {
		return nil, Request{}, nonblockingError(op, err)
	}
	n := c.withoutID(c.membership)
	id := c.contexts.take()
	mine := consensus.Contribution{Kind: shrinking, ID: id}
	r, err := beginAgreement(c, op, mine, func(d *consensus.Decision, failed error) error {
		if failed != nil {
			c.contexts.give(id) // nobody has made anything
			return failed
		}
		return shrinkTo(c, n, d, id)
	})
	if err != nil {
		c.contexts.give(id)
	}
	return n, r, nonblockingError(op, err)
}

// The kinds of agreements.
const (
	agreeing = iota + 1
	shrinking
)

// shrinkTo makes n of those who are in a decision. id is what this member has brought.
func shrinkTo(c *Comm, n *Comm, d *consensus.Decision, id uint64) error {
	var left []int32
	for _, rank := range c.members.ranks {
		if end := job.End(c.root, int(rank)); end == 0 || end > d.Ends {
			left = append(left, rank)
		}
	}
	if int(left[0]) != c.group.self {
		c.contexts.give(id)
	}
	if d.ID == worldID {
		return errNoContext(int(left[0]))
	}
	n.membership = single(newGroup(c.group.self, left))
	n.rank, n.size = n.group.rank, len(left)
	n.setID(d.ID)
	return nil
}

// outlasts is usable for calls that also work on a communicator that was revoked, and are made by no operator.
func outlasts(c *Comm) error {
	if err := pml.MayWait(); err != nil {
		return err
	}
	if err := c.usable(); !errors.Is(err, ErrRevoked) {
		return err
	}
	return nil
}

// errWithin means that the function of Survive would agree while another member has returned from it.
var errWithin = errors.New("the function of Survive must not call Agree, Shrink or Survive: " +
	"return the error instead, and Survive agrees on it")

// outside returns an error if c is of the function of Survive. A member that has found a failure returns from the
// function, and agrees there: another one must not take that for the agreement which it makes in the function.
func outside(c *Comm) error {
	if c != nil && c.within != nil {
		return errWithin
	}
	return nil
}

// awaitAgreement begins an agreement, and waits for its end.
func awaitAgreement(c *Comm, op string, begin func() (Request, error)) (err error) {
	if err := c.enter(op, ErrRevoked); err != nil {
		return Wrap(op, err)
	}
	defer leave(c, op, &err)
	r, err := begin()
	if err == nil {
		_, err = r.r.Wait()
	}
	return Wrap(op, Bare(err))
}

// meetInMemory tells whether all members reach the memory of all others.
func meetInMemory(c *Comm) bool { return c.engine.Routes().Memory(c.world()) != nil }

// lastAcknowledged is the number of the last end that this process has acknowledged on c; 0: none. Failures are
// acknowledged in the order of the ends.
func lastAcknowledged(c *Comm) uint32 {
	known := Acknowledged(c).ranks
	if len(known) == 0 {
		return 0
	}
	return job.End(c.root, int(known[len(known)-1]))
}

// decided is called with a decision, under the lock of the engine. failed is why there is none for any member. It
// returns the error of the operation.
type decided func(d *consensus.Decision, failed error) error

// beginAgreement begins an agreement in memory. end is not called if this process leaves all agreements meanwhile.
func beginAgreement(c *Comm, op string, mine consensus.Contribution, end decided) (Request, error) {
	var failed error
	context := nonblocking.of(idOf(c.context))
	r, err := c.engine.BeginBy(context, func() pml.Task {
		if c.consensus == nil {
			c.consensus = newCircle(c, c.engine.Routes().Memory(c.world()))
		}
		t := &consent{comm: c, op: op, end: end}
		t.of, failed = c.consensus.Begin(mine)
		return t
	})
	if failed != nil {
		_, _ = r.Wait() // it is over
		return Request{}, failed
	}
	return Request{r}, err
}

// newCircle returns the members of c, whose words are in that memory.
func newCircle(c *Comm, m btl.Memory) *consensus.Circle {
	circle := &consensus.Circle{Home: &c.agreements, Memory: m, Ranks: c.members.ranks, Self: c.members.rank}
	circle.Name(idOf(c.context), c.team.Serial)
	return circle
}

// freeConsensus ends the use of the memory for agreements.
func freeConsensus(c *Comm) {
	c.engine.Within(func(pml.Inside) {
		if c.consensus != nil {
			c.consensus.Free()
		}
	})
}

// consent is an agreement in memory as a task. The lock of the engine guards it.
type consent struct {
	comm *Comm
	op   string
	of   *consensus.Agreement // nil: it was not begun
	end  decided
}

func (*consent) Start() error { return nil }
func (*consent) Release()     {}

// Progress implements pml.Task.
func (t *consent) Progress() (done bool, err error) {
	if t.of == nil {
		return true, nil
	}
	if over, err := t.of.Advance(); !over || err != nil {
		return over, err
	}
	d := &t.of.Result
	switch {
	case d.Differs != 0:
		err = &fault.MismatchError{Member: int(d.Differs) - 1, Detail: "some call it Agree, others Shrink"}
	case d.Left != 0:
		err = fmt.Errorf("rank %d has no memory for agreements", t.comm.members.ranks[d.Left-1])
	}
	return true, t.end(d, err)
}

// Describe implements pml.Task.
func (t *consent) Describe(w *job.Waiting) {
	w.Op = job.OpCollective
	w.Collective = job.Collective{Name: t.op, Communicator: t.comm.Name(), Need: job.NeedPeers}
	for _, rank := range t.of.Awaited() {
		w.Collective.Miss(int(rank))
	}
}

// agreeFar is Agree of members that share no memory. Their job does not survive.
func agreeFar(c *Comm, flag uint64, agreed func(flag uint64)) Call {
	all := make([]uint64, c.size)
	k := Call{Comm: c, Op: "agree", Args: *telling(flag, all)}
	if c.remote() != nil {
		k.Args.Wrong = ErrSeveralNodes
	}
	k.Args.After = func() {
		flag := uint64(math.MaxUint64)
		for _, f := range all {
			flag &= f
		}
		agreed(flag)
	}
	return k
}
