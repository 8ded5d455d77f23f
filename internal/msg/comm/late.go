package comm

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gopvas/gopvas/internal/msg/comm/agree"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/mpi/fault"
)

// Ranks that are started late, and groups that find each other by a port.
//
// The ranks that are started together are a world of their own, with numbers in the job after all others. So groups of
// different worlds are joined as any two groups are (joinRemote). Only how the leaders meet differs. They do so in
// contexts of meetID, which belong to no communicator. A parent and its child use that of grouping, with tag 0; for
// those of ports see ports.go.

// The refusals of processes and ports.
var (
	ErrSpawn   = job.ErrSpawn
	ErrPort    = job.ErrPort
	ErrService = job.ErrService
	ErrName    = job.ErrName
)

// Command is a program to start.
type Command = job.Command

// Count is how many ranks of a command were asked for, and how many there are. All ranks of Spawn learn it.
type Count struct{ Asked, Started int }

const opSpawn = "spawn"

// Spawn has pvasrun start ranks, and returns the intercommunicator of c with their world. It is collective; the
// commands of the root count, and bad, if it is not nil, is what is wrong with them. counts is of each command, also
// if none was started. It returns when the new ranks have called Init. The error wraps ErrSpawn if they could not be
// started, or end before that.
//
// MPI 4.1 section 11.8 (MPI_Comm_spawn, MPI_Comm_spawn_multiple).
func Spawn(c *Comm, root int, commands []Command, bad error) (n *Comm, counts []Count, err error) {
	return spawn(c, root, bad, job.EncodeAsked(commands), func() ([]string, error) { return c.askFor(commands) })
}

// spawn is Spawn where the root asks by a function for as many ranks of each command as the text says.
func spawn(c *Comm, root int, bad error, numbers string, ask func() ([]string, error)) (
	n *Comm, counts []Count, err error) {
	const op = opSpawn
	if c.made() == nil {
		c.letGo() // what was let go makes room
	}
	if err := c.enter(op); err != nil {
		return nil, nil, Wrap(op, err)
	}
	defer leave(c, op, &err)
	c.root.AddLink(c.group.self, 1) // if this rank fails, those that it has had started end, too
	defer c.root.AddLink(c.group.self, -1)
	texts, err := c.rootDoes(op, root, bad, func() ([]string, error) {
		texts, err := ask()
		if err != nil && !errors.Is(err, ErrSpawn) {
			err = fmt.Errorf("%w: %w", ErrSpawn, err)
		}
		return append([]string{numbers}, texts...), err
	})
	var w job.World
	var asked, started []int
	if len(texts) > 0 {
		asked = job.DecodeAsked(texts[0])
	}
	if err == nil {
		w, started, err = job.DecodeWorld(texts[1:])
	}
	for i, n := range asked {
		counts = append(counts, Count{Asked: n})
		if err == nil && i < len(started) {
			counts[i].Started = started[i]
		}
	}
	if err != nil {
		return nil, counts, Wrap(op, err)
	}
	n, err = c.joinRemote(op, root, nil, func(p agree.Proposal, _ int) (agree.Proposal, error) {
		return c.with(w.First, grouping.of(meetID), 0).Swap(p)
	})
	if c.othersFail(err) {
		err = notWhole(c, w)
	}
	return n, counts, Wrap(op, err)
}

// notWhole is the error of Spawn when a rank of the new world has ended, perhaps as the member has that it was for.
func notWhole(c *Comm, w job.World) error {
	if failed := Failed(c); failed.Size() > 0 {
		return &fault.LostError{Rank: int(failed.ranks[0])}
	}
	return fmt.Errorf("%w as a whole: before it has called Init, %s", ErrSpawn, c.firstEnd(w))
}

// firstEnd says which rank of a world has ended first, as far as pvasrun answers.
func (p *process) firstEnd(w job.World) string {
	texts, err := p.root.Ask(p.number, job.AskEnd, strconv.Itoa(w.Number))
	if err != nil || len(texts) == 0 || texts[0] == "" {
		return "one of them has ended"
	}
	return texts[0]
}

// othersFail tells whether joinRemote has failed for another cause than the end of a rank of this group.
func (m *membership) othersFail(err error) bool {
	lost, ok := errors.AsType[*fault.LostError](err)
	return err != nil && (!ok || m.group.find(int32(lost.Rank)) == Undefined)
}

// askFor asks for ranks, as seen from where the program is now.
func (p *process) askFor(commands []Command) ([]string, error) {
	if len(commands) == 0 {
		return nil, errors.New("no command: pass one or more")
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	for i := range commands {
		p := &commands[i]
		if p.Dir = cmp.Or(p.Dir, here); !filepath.IsAbs(p.Dir) {
			p.Dir = filepath.Join(here, p.Dir)
		}
		if file := filepath.Join(here, p.Program); strings.ContainsRune(p.Program, '/') && !filepath.IsAbs(p.Program) {
			if _, err := os.Stat(file); err == nil {
				p.Program = file
			}
		}
		dirs := filepath.SplitList(p.Path)
		for i := range dirs {
			if !filepath.IsAbs(dirs[i]) {
				dirs[i] = filepath.Join(here, dirs[i])
			}
		}
		p.Path = strings.Join(dirs, string(filepath.ListSeparator))
	}
	if err := world.attendant.Call(); err != nil {
		return nil, err
	}
	return p.root.Ask(p.number, job.EncodeSpawn(commands)...)
}

// meetParent makes the intercommunicator with the ranks that have had this world started, if there are any.
func (c *Comm) meetParent() error {
	w := c.root.World(c.group.self)
	if w.Parent < 0 {
		return nil
	}
	const op = "spawn"
	_ = c.entry.Enter(op) // nobody has the communicator before
	defer c.entry.Leave()
	n, err := c.joinRemote(op, 0, nil, func(p agree.Proposal, _ int) (agree.Proposal, error) {
		return c.with(w.Parent, grouping.of(meetID), 0).Swap(p)
	})
	if c.othersFail(err) {
		return errors.New("the ranks that have had this one started have ended")
	}
	if err == nil {
		c.parent = n
		BelongsTo(n, "") // the program need not ask for it
	}
	return Wrap(op, err)
}

// Parent returns the intercommunicator of a world with the ranks that have had it started, nil if nobody has, or it
// was freed.
//
// MPI 4.1 section 11.8.2 (MPI_Comm_get_parent).
func Parent(world *Comm) *Comm {
	if world.made() != nil || world.parent == nil || world.parent.state.Load() == freed {
		return nil
	}
	return world.parent
}

// # Ranks that are started while others may fail (pvasrun --survive)
//
// All members of left know left, which the program has not. They have others started, and join with them. Any of them,
// and any of the new ranks, may die meanwhile, in each step. To refill the places of ranks that have failed (--respawn)
// left is from Shrink, so all know the same places.
//
//   - R1: the survivors make the intercommunicator between. wholly has all of them return, whoever fails.
//   - R2: they agree on left whether all of them have it. If not, those that have it revoke it, and nobody uses it.
//   - R3: all members of between make full, where each has its place. Again wholly has all of them return.
//   - R4: they agree on between whether all of them have full. If not, full is revoked, and nobody uses it.
//
// The new ranks of SpawnMerged may be programs in C, which merge and no more. So there R4 is on left: all survivors
// have full, or none, and then a new rank finds that it is revoked. If R1 fails, new ranks may wait in Init until the
// job ends.
//
// A new rank of refill begins with R3, in Init. If it fails there it ends. If it has full, all members have begun R3,
// as each waits for proposals of all. So R2 has succeeded at all survivors that live, and all of them come to R4: a new
// rank waits there in vain for none. Nor does a survivor wait for a new rank: that comes to R4, or ends. What R2 and R4
// agree on is the same at all. So all that live go on with full, or all survivors with left.

// refill returns a communicator of the members of left and of new ranks in the places of the members of c that have
// failed. left is from Shrink(c). All members get one, which the caller frees, or none. Then refused says whether no
// more ranks may be started. Else one has failed meanwhile.
func refill(c, left *Comm) (full *Comm, refused bool) {
	instead := absent(c, left)
	numbers := slices.Repeat([]Command{{N: 1}}, len(instead))
	var refusal error // at the root
	full, _ = startWhole(left, true, func() (*Comm, error) {
		between, _, err := spawn(left, 0, nil, job.EncodeAsked(numbers), func() (texts []string, err error) {
			texts, refusal = c.root.Ask(c.number, job.EncodeRefill(instead)...)
			return texts, refusal
		})
		return between, err
	}, func(between *Comm) (*Comm, error) { return takePlace(between, c.rank) })
	if full != nil {
		return full, false
	}
	var mine uint64
	if refusal == nil {
		mine = 1
	}
	all, _ := agreeIn(left, mine) // an error: others of left have failed meanwhile
	return nil, all == 0
}

// absent returns the members of c that left has not.
func absent(c, left *Comm) (list []job.Instead) {
	for place, rank := range c.members.ranks {
		if left.members.find(rank) == Undefined {
			list = append(list, job.Instead{Rank: int(rank), Place: place})
		}
	}
	return list
}

// startWhole returns what join makes of the intercommunicator that start returns: at all members of left, or at none.
// In R4 the new ranks take part, or they do not.
func startWhole(left *Comm, newAgree bool, start func() (*Comm, error), join func(between *Comm) (*Comm, error)) (
	full *Comm, err error) {
	var between *Comm
	err = wholly(left, func() (err error) {
		between, err = start()
		return err
	})
	if fine, failed := allFine(left, err); !fine {
		giveUp(between)
		return nil, notStarted(err, failed)
	}
	full, err = join(between)
	in := left
	if newAgree {
		in = between
	}
	if fine, failed := allFine(in, err); !fine {
		giveUp(full)
		giveUp(between)
		return nil, notStarted(err, failed)
	}
	_ = between.Free() // an error: it was revoked
	return full, nil
}

// notStarted is the error of a member that has err, nil if others have one. All members get a *fault.LostError if one
// of them has failed, as they have agreed, or else one that wraps ErrSpawn: then a new rank has.
func notStarted(err, failed error) error {
	switch {
	case failed != nil:
		return Wrap(opSpawn, failed)
	case err == nil || isLost(err) || errors.Is(err, ErrRevoked):
		return Wrap(opSpawn, fmt.Errorf("%w: a rank has failed meanwhile", ErrSpawn))
	}
	return err
}

// SpawnMerged is Spawn, then Merge of what it returns, where the ranks of c come first. In a job that survives all
// ranks of c have the same communicator, or an error each. In the function of Survive that sees to it.
func SpawnMerged(c *Comm, root int, commands []Command) (*Comm, error) {
	start := func(c *Comm) (*Comm, error) {
		between, _, err := Spawn(c, root, commands, nil)
		return between, err
	}
	if c == nil || !job.Survives(c.root) || c.within != nil {
		between, err := start(c)
		if err != nil {
			return nil, err
		}
		return MergeWhole(between, false)
	}
	own, err := Shrink(c)
	if err != nil {
		return nil, err
	}
	var all *Comm
	if lost := absent(c, own); lost != nil { // all have found the same
		err = Wrap(opSpawn, &fault.LostError{Rank: lost[0].Rank})
	} else {
		all, err = startWhole(own, false, func() (*Comm, error) {
			if c.revoked.Heard() { // others may not have heard, and are told by R2
				return nil, Wrap(opSpawn, ErrRevoked)
			}
			return start(own)
		}, func(between *Comm) (*Comm, error) { return mergeWhole(between, false) })
	}
	_ = own.Free() // an error: it was revoked
	return all, err
}

// MergeWhole is Merge, and frees c. In a job that survives no rank waits in it for one that has failed.
func MergeWhole(c *Comm, high bool) (all *Comm, err error) {
	all, err = mergeWhole(c, high)
	return all, errors.Join(err, c.Free())
}

func mergeWhole(c *Comm, high bool) (all *Comm, err error) {
	err = wholly(c, func() (err error) {
		all, err = Merge(c, high)
		return err
	})
	return all, err
}

// takePlace is R3.
func takePlace(between *Comm, place int) (full *Comm, err error) {
	const op = "refill"
	err = wholly(between, func() (err error) {
		if err := between.enter(op); err != nil {
			return err
		}
		defer leave(between, op, &err)
		p := agree.Proposal{Key: int64(place), Call: agree.CallOf(op)}
		full, _, err = between.create(between.everyone(), p, nil)
		return err
	})
	if full != nil {
		BelongsTo(full, "") // the program does not free it
	}
	return full, err
}

// allFine tells all members of c the same: whether none has an error and all live; and by failed which one does not.
func allFine(c *Comm, err error) (fine bool, failed error) {
	mine := uint64(1)
	if err != nil {
		mine = 0
	}
	all, failed := agreeIn(c, mine)
	return all == 1 && failed == nil, failed
}

// giveUp ends a communicator that some members may not have.
func giveUp(c *Comm) {
	if c != nil {
		_ = Revoke(c) // an error: nobody takes part
		_ = c.Free()
	}
}

// takeOver is what a rank does in Init that was started in the place of another one. One that gets no place ends: the
// others go on without it.
func takeOver(c *Comm) error {
	place, ok := job.PlaceOf(c.root, c.group.self)
	if !ok {
		return nil
	}
	between := c.parent
	c.parent = nil
	full, err := takePlace(between, place)
	if err == nil {
		if fine, _ := allFine(between, nil); !fine {
			err = ErrSpawn
		}
	}
	if err != nil {
		return errors.New("the place is not free: other ranks have failed, too")
	}
	_ = between.Free() // an error: it was revoked
	c.refilled = full
	return nil
}

// Replaces tells whether the rank was started in the place of one that had failed.
func Replaces(c *Comm) bool {
	_, ok := job.PlaceOf(c.root, c.number)
	return ok
}
