package comm

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gopvas/gopvas/internal/comm/agree"
	"github.com/gopvas/gopvas/internal/job"
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

// Spawn has pvasrun start ranks, and returns the intercommunicator of c with their world. It is collective; the
// commands of the root count, and bad, if it is not nil, is what is wrong with them. counts is of each command, also
// if none was started. It returns when the new ranks have called Init. The error wraps ErrSpawn if they could not be
// started, or end before that.
//
// MPI 4.1 section 11.8 (MPI_Comm_spawn, MPI_Comm_spawn_multiple).
func Spawn(c *Comm, root int, commands []Command, bad error) (n *Comm, counts []Count, err error) {
	const op = "spawn"
	if err := c.enter(op); err != nil {
		return nil, nil, Wrap(op, err)
	}
	defer leave(c, op, &err)
	c.root.AddLink(c.group.self, 1) // if this rank fails, those that it has had started end, too
	defer c.root.AddLink(c.group.self, -1)
	texts, err := c.rootDoes(op, root, bad, func() ([]string, error) {
		texts, err := c.askFor(commands)
		if err != nil && !errors.Is(err, ErrSpawn) {
			err = fmt.Errorf("%w: %w", ErrSpawn, err)
		}
		return append([]string{job.EncodeAsked(commands)}, texts...), err
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
		err = fmt.Errorf("%w as a whole: before it has called Init, %s", ErrSpawn, c.firstEnd(w))
	}
	return n, counts, Wrap(op, err)
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

// PublishName publishes a port by the name of a service, for LookupName. Jobs of the user find it if they
// can reach the port. MPI 4.1 section 11.9.4 (MPI_Publish_name).
func PublishName(world *Comm, service, port string) error {
	_, err := world.ask("publish name", job.AskPublish, service, port)
	return err
}

// UnpublishName withdraws it. MPI 4.1 section 11.9.4 (MPI_Unpublish_name).
func UnpublishName(world *Comm, service, port string) error {
	_, err := world.ask("unpublish name", job.AskUnpublish, service, port)
	return err
}

// LookupName returns the port of a service. MPI 4.1 section 11.9.4 (MPI_Lookup_name).
func LookupName(world *Comm, service string) (port string, err error) {
	texts, err := world.ask("lookup name", job.AskLookup, service)
	if errors.Is(err, ErrName) {
		if port, other := job.PublishedElsewhere(service); other == nil {
			return port, nil
		}
	}
	if err != nil {
		return "", err
	}
	return texts[0], nil
}
