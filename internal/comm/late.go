package comm

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/pml"
	"github.com/gopvas/gopvas/internal/sys"
	"github.com/gopvas/gopvas/mpi/fault"
)

// Ranks that are started late, and groups that find each other by a port.
//
// The ranks that are started together are a world of their own, with numbers in the job after all others. So groups of
// different worlds are joined as any two groups are (joinRemote). Only how the leaders meet differs. They do so in
// contexts of meetID, which belong to no communicator: in that of grouping, with the tag of the port, or tag 0 for a
// parent and its child.

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
// commands of the root count, and bad, if it is not nil, is what is wrong with them. counts is of each command, also if
// none was started. It returns when the new ranks have called Init. The error wraps ErrSpawn if they could not be
// started, or end before that.
//
// MPI 4.1 section 11.8 (MPI_Comm_spawn, MPI_Comm_spawn_multiple).
func Spawn(c *Comm, root int, commands []Command, bad error) (n *Comm, counts []Count, err error) {
	const op = "spawn"
	if err := c.lockCollective(); err != nil {
		return nil, nil, Wrap(op, err)
	}
	defer c.mu.Unlock()
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
	n, err = c.joinRemote(op, root, nil, func(p proposal) (proposal, error) {
		return c.exchangeWith(int32(w.First), grouping.of(meetID), 0, p, c.Name)
	})
	if c.othersFail(err) {
		err = Wrap(op, fmt.Errorf("%w as a whole: one of them has ended before it has called Init", ErrSpawn))
	}
	return n, counts, err
}

// othersFail tells whether joinRemote has failed because the other group has.
func (c *Comm) othersFail(err error) bool {
	lost, ok := errors.AsType[*fault.LostError](err)
	return err != nil && (!ok || c.group.find(int32(lost.Rank)) == Undefined)
}

// askFor asks for ranks, as seen from where the program is now.
func (c *Comm) askFor(commands []Command) ([]string, error) {
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
	return c.root.Ask(c.group.self, job.EncodeSpawn(commands)...)
}

// meetParent makes the intercommunicator with the ranks that have had this world started, if there are any.
func (c *Comm) meetParent() error {
	w := c.root.World(c.group.self)
	if w.Parent < 0 {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	n, err := c.joinRemote("spawn", 0, nil, func(p proposal) (proposal, error) {
		return c.exchangeWith(int32(w.Parent), grouping.of(meetID), 0, p, c.Name)
	})
	if c.othersFail(err) {
		return errors.New("the ranks that have had this one started have ended")
	}
	if err == nil {
		c.parent = n
		BelongsTo(n, "") // the program need not ask for it
	}
	return err
}

// Parent returns the intercommunicator of a world with the ranks that have had it started, nil if nobody has, or it was
// freed.
//
// MPI 4.1 section 11.8.2 (MPI_Comm_get_parent).
func Parent(world *Comm) *Comm {
	if world.made() != nil || world.parent == nil || world.parent.state.Load() == freed {
		return nil
	}
	return world.parent
}

// OpenPort returns the name of a port at which this rank can accept. MPI 4.1 section 11.9.2 (MPI_Open_port).
func OpenPort(world *Comm) (string, error) {
	texts, err := world.ask("open port", job.AskOpenPort)
	if err != nil {
		return "", err
	}
	return texts[0], nil
}

const closePort = "close port"

// ClosePort closes it. Those that have asked there and were not accepted are told. MPI 4.1 section 11.9.2
// (MPI_Close_port).
func ClosePort(world *Comm, port string) error {
	_, err := world.ask(closePort, job.AskClosePort, port)
	if err != nil {
		return err
	}
	p, err := job.ParsePort(port)
	if err == nil && p.Rank == world.group.self {
		err = world.turnAway(p)
	}
	return Wrap(closePort, err)
}

// turnAway answers all that have asked at a port before it was closed. One that is told twice, see Connect, leaves the
// second message: no other port has the tag.
func (c *Comm) turnAway(p job.Port) error {
	for {
		m, st, ok, err := c.engine.Improbe(partitioned.of(meetID), pml.AnySource, p.Number)
		if err != nil || !ok {
			return err
		}
		if _, err = c.engine.Mrecv(&m, Bytes(nil)); err != nil {
			return err
		}
		no := proposal{call: callOf(closePort), refused: true}
		err = c.engine.Send(grouping.of(meetID), st.Source, p.Number, no.encode(), pml.Standard)
		if err != nil && !isLost(err) {
			return err
		}
	}
}

// PublishName publishes a port by the name of a service, which LookupName finds. MPI 4.1 section 11.9.4
// (MPI_Publish_name).
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
	if err != nil {
		return "", err
	}
	return texts[0], nil
}

// ask makes a request that is answered by one text at least.
func (c *Comm) ask(op string, request ...string) ([]string, error) {
	if err := c.usable(); err != nil {
		return nil, Wrap(op, err)
	}
	texts, err := c.root.Ask(c.group.self, request...)
	if err == nil && len(texts) == 0 {
		err = errors.New("pvasrun has given no answer")
	}
	return texts, Wrap(op, err)
}

// port returns the open port of this name.
func (c *Comm) port(name string) (p job.Port, err error) {
	if p, err = job.ParsePort(name); err != nil {
		return p, err
	}
	if p.Job != c.root.ID() {
		return p, fmt.Errorf("%w: it is one of another job, and jobs are not connected", ErrPort)
	}
	_, err = c.root.Ask(c.group.self, job.AskPort, name)
	return p, err
}

// Accept waits until somebody connects to a port that the root has opened, and returns the intercommunicator. It is
// collective; the port of the root counts.
//
// MPI 4.1 section 11.9.2 (MPI_Comm_accept).
func Accept(c *Comm, port string, root int) (*Comm, error) {
	return c.connect("accept", port, root, func(p job.Port, offer proposal) (theirs proposal, err error) {
		for {
			m, st, err := c.engine.Mprobe(partitioned.of(meetID), pml.AnySource, p.Number)
			if err != nil {
				return theirs, err
			}
			if _, err = c.engine.Mrecv(&m, Bytes(nil)); err != nil {
				return theirs, err
			}
			theirs, err = c.exchangeWith(int32(st.Source), grouping.of(meetID), p.Number, offer, c.Name)
			if !isLost(err) {
				return theirs, err
			}
		}
	})
}

// Connect connects to a port at which others accept, and returns the intercommunicator. It is collective; the port of
// the root counts.
//
// Who closes the port first has it closed, then looks who has asked there. Connect first asks, then looks whether it is
// open. So one of the two sees the other.
//
// MPI 4.1 section 11.9.3 (MPI_Comm_connect).
func Connect(c *Comm, port string, root int) (*Comm, error) {
	return c.connect("connect", port, root, func(p job.Port, offer proposal) (theirs proposal, err error) {
		if err = c.engine.Send(partitioned.of(meetID), p.Rank, p.Number, nil, pml.Standard); err != nil {
			return theirs, err
		}
		if _, err = c.port(port); err != nil {
			return theirs, err
		}
		t := circle{c.engine, grouping.of(meetID), p.Number, []int32{int32(p.Rank)}, 0, c.Name}
		t.explain(offer.call.name)
		reply, err := t.receive(0)
		if err == nil {
			theirs, err = decodeProposal(reply)
		}
		if err == nil && theirs.call.number == callOf(closePort).number {
			err = fmt.Errorf("%w: it was closed before this rank was accepted", ErrPort)
		}
		if err != nil {
			return theirs, err
		}
		return theirs, c.engine.Send(t.context, p.Rank, t.tag, offer.encode(), pml.Standard)
	})
}

func (c *Comm) connect(op, name string, root int, meet func(job.Port, proposal) (proposal, error)) (*Comm, error) {
	if err := c.lockCollective(); err != nil {
		return nil, Wrap(op, err)
	}
	defer c.mu.Unlock()
	var p job.Port
	_, err := c.rootDoes(op, root, nil, func() (_ []string, err error) {
		p, err = c.port(name)
		if mine := p.Rank == c.group.self; err == nil && mine != (op == "accept") {
			err = fmt.Errorf("%w for that: the rank that has opened it accepts, and another one connects", ErrPort)
		}
		return nil, err
	})
	if err != nil {
		return nil, Wrap(op, err)
	}
	n, err := c.joinRemote(op, root, nil, func(offer proposal) (proposal, error) { return meet(p, offer) })
	if c.othersFail(err) && !errors.Is(err, ErrPort) {
		err = Wrap(op, fmt.Errorf("%w: those at the other end have failed, or ended, or it was closed", ErrPort))
	}
	return n, err
}

// ErrOtherJob means that a process of another job was to be joined.
var ErrOtherJob = errors.New("the other process is of another job, and jobs are not connected: " +
	"start both by one pvasrun")

// JoinSocket returns the intercommunicator of two processes that have the ends of a socket; self is Comm.Self. Each
// sends the other the name of a port, and a line break.
//
// MPI 4.1 section 11.10.5 (MPI_Comm_join).
func JoinSocket(self *Comm, fd int) (*Comm, error) {
	const op = "join"
	mine, err := OpenPort(self)
	if err != nil {
		return nil, err
	}
	defer func() { _ = ClosePort(self, mine) }()
	theirs, err := swapLines(fd, mine)
	if err != nil {
		return nil, Wrap(op, err)
	}
	p, err := job.ParsePort(theirs)
	switch {
	case err != nil:
		return nil, Wrap(op, err)
	case p.Job != self.root.ID():
		return nil, Wrap(op, ErrOtherJob)
	case p.Rank < self.group.self:
		return Connect(self, theirs, 0)
	}
	return Accept(self, mine, 0)
}

// swapLines sends a line over a socket, and receives one.
func swapLines(fd int, line string) (string, error) {
	f, err := sys.DupCloexec(fd, "socket")
	if err != nil {
		return "", fmt.Errorf("descriptor %d: %w", fd, err)
	}
	defer f.Close()
	if _, err := io.WriteString(f, line+"\n"); err != nil {
		return "", err
	}
	var got []byte
	for b := []byte{0}; len(got) <= maxLine; got = append(got, b[0]) {
		if _, err := io.ReadFull(f, b); err != nil {
			return "", fmt.Errorf("the other process has not answered: %w", err)
		}
		if b[0] == '\n' {
			return string(got), nil
		}
	}
	return "", errors.New("the other process has not sent the name of a port")
}

// maxLine is the longest name of a port.
const maxLine = 1024
