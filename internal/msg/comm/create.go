package comm

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strconv"

	"github.com/gopvas/gopvas/internal/msg/coll"
	"github.com/gopvas/gopvas/internal/msg/comm/agree"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/mpi/fault"
)

// Dup returns a communicator of the same ranks in the same order.
func (c *Comm) Dup() (*Comm, error) {
	const op = "dup"
	copies, bad := copiesOf(c)
	n, _, err := c.createAmongAll(agree.Proposal{Key: int64(c.Rank()), Call: agree.CallOf(op)}, bad)
	if err != nil {
		return nil, Wrap(op, err)
	}
	n.topology, n.attributes.all = c.topology, copies
	return n, nil
}

// Split returns a communicator of the ranks that pass the same color.
func (c *Comm) Split(color, key int) (*Comm, error) {
	const op = "split"
	var bad error
	if color < 0 && color != Undefined {
		bad = fmt.Errorf("color %d is negative: pass 0 or more, or Undefined", color)
	}
	n, _, err := c.createAmongAll(agree.Proposal{Color: int64(color), Key: int64(key), Call: agree.CallOf(op)}, bad)
	return n, Wrap(op, err)
}

// SplitKind is what the ranks of a communicator from SplitType have in common.
type SplitKind int

const (
	// Shared: they can share memory, see WinAllocateShared. All ranks of a node can.
	Shared SplitKind = iota

	// AddressSpace: they are in one address space, see WinCreate. With pvasrun
	// --btl pvas all of a node are; with sm each is alone.
	AddressSpace

	// Alone: nothing. Each rank gets a communicator of its own. It is no kind of package mpi.
	Alone = SplitKind(math.MinInt)
)

// SplitType returns a communicator of the ranks that have something in common.
func (c *Comm) SplitType(kind SplitKind, key int) (*Comm, error) {
	return c.splitType(key, func() (int64, error) {
		switch kind {
		case Undefined:
			return Undefined, nil
		case Shared:
			return int64(c.root.Node(c.group.self)), nil
		case AddressSpace, Alone:
			// Not the colors of Shared: ranks that pass different kinds, which is wrong,
			// are at least not put together.
			if kind == AddressSpace && c.module.Direct() {
				return int64(c.root.Nodes() + c.root.Node(c.group.self)), nil
			}
			return int64(2*c.root.Nodes() + c.group.self), nil
		}
		return Undefined, fmt.Errorf("kind %d is not known: pass Shared, AddressSpace or Undefined", kind)
	})
}

// SplitPart returns a communicator of the ranks of a node that are in the same part of it, which has a number of 31
// bits. It and SplitType are one collective call.
func (c *Comm) SplitPart(part, key int) (*Comm, error) {
	const parts = 31 // a color of any kind is less than a node's first part
	return c.splitType(key, func() (int64, error) {
		return int64(c.root.Node(c.group.self)+1)<<parts | int64(part), nil
	})
}

func (c *Comm) splitType(key int, color func() (int64, error)) (*Comm, error) {
	const op = "split by type"
	if err := c.usable(); err != nil {
		return nil, Wrap(op, err)
	}
	mine, bad := color()
	if c.visited && mine >= 0 {
		mine |= int64(c.root.JobNumber()) << 48 // jobs have nothing in common
	}
	n, _, err := c.createAmongAll(agree.Proposal{Color: mine, Key: int64(key), Call: agree.CallOf(op)}, bad)
	return n, Wrap(op, err)
}

// CreateGroup returns a communicator of a group of ranks of c.
func (c *Comm) CreateGroup(g *Group, tag int) (*Comm, error) {
	return c.createGroup("create group", g, tag, strconv.Itoa(tag))
}

// CreateFromGroup is CreateGroup for a group of a session. Calls are told apart by a text.
func CreateFromGroup(world *Comm, g *Group, text string) (*Comm, error) {
	n, err := world.createGroup("create from group", g, tagOf(text), text)
	if n != nil {
		n.session = g.session
	}
	return n, err
}

// tagOf is a tag for a text.
func tagOf(text string) int {
	h := fnv.New32a()
	fmt.Fprint(h, text) // a hash does not fail
	return int(h.Sum32() & MaxTag)
}

// createGroup is CreateGroup for a tag, and its name for messages.
func (c *Comm) createGroup(op string, g *Group, tag int, name string) (*Comm, error) {
	if err := c.usable(); err != nil {
		return nil, Wrap(op, err)
	}
	if g == nil {
		return nil, Wrap(op, errors.New("the group is nil"))
	}
	if tag < 0 || tag > MaxTag {
		return nil, Wrap(op, &fault.TagError{Tag: tag})
	}
	if i := slices.IndexFunc(g.ranks, func(r int32) bool { return c.group.find(r) == Undefined }); i >= 0 {
		return nil, Wrap(op, fmt.Errorf("rank %d of the group is not in the communicator", i))
	}
	if g.Rank() == Undefined {
		return nil, nil
	}
	what := name + " of ranks " + g.list()
	t := c.circle(c.Name, grouping.of(idOf(c.context)), tag, g.ranks, g.rank)
	t.Name = func() string { return job.OfTag(what) }
	call := agree.CallOf(op, name, c.namesOf(&c.membership, g.ranks))
	p := agree.Proposal{Key: int64(g.rank), Call: call, Data: []byte(what)}
	n, all, err := c.create(t, p, nil)
	for i := range all {
		if err != nil && string(all[i].Data) != what {
			err = fmt.Errorf("rank %d of the group has passed tag and group %q, and this rank %q: pass the same", i,
				all[i].Data, what)
			break
		}
	}
	return n, Wrap(op, err)
}

// Create returns a communicator of a group of ranks of c.
func (c *Comm) Create(g *Group) (*Comm, error) {
	const op = "create"
	p := agree.Proposal{Color: Undefined, Call: agree.CallOf(op)}
	var bad error
	switch {
	case g == nil:
		bad = errors.New("the group is nil")
	case slices.ContainsFunc(g.ranks, func(r int32) bool { return c.Group().find(r) == Undefined }):
		bad = errors.New("a rank of the group is not in the communicator")
	case g.Rank() != Undefined:
		p.Color, p.Key = c.nameOf(&c.membership, g.ranks[0]), int64(g.rank) // no other group has its first rank
		if c.remote() != nil {
			p.Color = 0 // the groups of both sides belong together
		}
	}
	n, all, err := c.createAmongAll(p, bad)
	if err == nil && n != nil && n.size != len(g.ranks) {
		err = fmt.Errorf("%d of %d ranks of the group give it: all give the same",
			len(membersOf(p.Color, all)), len(g.ranks))
	}
	if err != nil {
		return nil, Wrap(op, err)
	}
	return n, nil
}

// Idup is Dup, nonblocking.
func (c *Comm) Idup() (*Comm, Request, error) {
	const op = "idup"
	if err := c.mayCall(); err != nil { // an operator must take no id, and not the lock of the engine
		return nil, Request{}, Wrap(op, err)
	}
	copies, err := copiesOf(c)
	if err != nil {
		return nil, Request{}, Wrap(op, err)
	}
	n := c.withoutID(c.membership)
	n.topology, n.attributes.all = c.topology, copies
	id := c.leadersID(&c.membership)
	k := Call{Comm: c, Op: "dup", Args: coll.Args{Kind: coll.Bcast, Send: coll.Buffer{Data: id}}}
	k.Args.After = func() {
		if id := binary.LittleEndian.Uint64(id); id != worldID {
			n.setID(id)
		}
	}
	r, err := k.Begin()
	if err != nil {
		return nil, Request{}, err
	}
	return n, r, nil
}

// leadersID is the message by which rank 0, which leads a copy as it leads c, tells the id of the copy.
func (p *process) leadersID(m *membership) []byte {
	p.contexts.settle() // the id and the board of a communicator that was freed are used again
	id := make([]byte, 8)
	if m.members.rank == 0 {
		binary.LittleEndian.PutUint64(id, p.contexts.take())
	}
	return id
}

// Make runs a call that makes something of the ranks of c, as a window, in steps on a communicator of its own. It fails
// if the steps do, or if goroutines race. The next call on c begins behind all of them: so the steps are calls on c for
// job.Prove.
func Make(c *Comm, call string, steps func(own *Comm) error) (err error) {
	if err := c.enter(call); err != nil {
		return err
	}
	defer leave(c, "", &err)
	own, err := c.bare()
	if err != nil {
		return Bare(err)
	}
	own.team.Outer = coll.Within(c.team)
	err = wholly(own, func() error { return steps(own) })
	if own.team.Outer = (job.Agreed{}); err != nil {
		err = errors.Join(err, own.Free())
	}
	return err
}

// wholly runs a call of several steps on c, which nobody else has yet. In a job that survives, one member may return
// from a step with an error, while others complete it. They wait in the next step for that member, which lives. But all
// of them find who has failed. So as long as the steps run a failure of any member revokes c. One that comes before
// whole has c is found here, later ones by readRevocations. A member may have all steps behind it, and would wait for
// the others when it ends what it has made. So who gives up tells all that c is revoked.
func wholly(c *Comm, steps func() error) (err error) {
	if !job.Survives(c.root) {
		return steps()
	}
	r := &c.revocable
	r.mu.Lock()
	r.whole = append(r.whole, c)
	r.mu.Unlock()
	if Failed(c).Size() == 0 {
		err = steps()
	} else {
		err = ErrRevoked
	}
	r.mu.Lock()
	r.whole = slices.DeleteFunc(r.whole, func(n *Comm) bool { return n == c })
	r.mu.Unlock()
	gaveUp := isLost(err) || errors.Is(err, ErrRevoked)
	if gaveUp || c.revoked.Heard() { // a failure has revoked it at this rank alone
		_ = tellRevoked(c) // an error: others find the failure, as this one has
	}
	if !gaveUp {
		return err
	}
	if failed := Failed(c).ranks; len(failed) > 0 {
		return &fault.LostError{Rank: int(failed[0])}
	}
	return err
}

// bare returns a communicator of the same ranks in the same order, which has nothing else of c. It costs a broadcast,
// in which rank 0 also tells where the new one meets: so its first collective call needs no messages for that. The
// caller is inside.
func (c *Comm) bare() (_ *Comm, err error) {
	const op = "create"
	told := append(c.leadersID(&c.membership), make([]byte, 8)...)
	id, place := told[:8], told[8:]
	var mine coll.BoardMemory
	if c.members.rank == 0 && binary.LittleEndian.Uint64(id) != worldID {
		mine = c.team.ReserveBoard()
		binary.LittleEndian.PutUint64(place, mine.Word())
	}
	n := c.withoutID(c.membership)
	if err := c.team.Run(&coll.Args{Kind: coll.Bcast, Send: coll.Buffer{Data: told}}); err != nil {
		return nil, Wrap(op, Bare(err)) // others may use the id and the board
	}
	word := binary.LittleEndian.Uint64(id)
	if word == worldID {
		return nil, Wrap(op, errNoContext(int(c.members.ranks[0])))
	}
	n.setID(word)
	n.team.BoardAt(mine, binary.LittleEndian.Uint64(place))
	return n, nil
}
