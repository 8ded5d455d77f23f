package mpi

import (
	"github.com/gopvas/gopvas/internal/msg/comm"
)

// SplitKind is what the ranks of a communicator from Comm.SplitType have in common.
type SplitKind int

// The kinds.
const (
	Shared       = SplitKind(comm.Shared)       // they can share memory: all ranks of a node
	AddressSpace = SplitKind(comm.AddressSpace) // they are in one address space
)

// made is a communicator that the layer below has made, unless it has failed.
func made(c *comm.Comm, err error) (*Comm, error) { return (*Comm)(c), err }

// Dup returns a communicator of the same ranks in the same order. It has the topology
// of c and those attributes that are made to be copied, and no name. It is collective.
//
// All calls that make communicators have these rules. Ranks may make several at the same
// time from different communicators. Every rank of c calls them in the same order. If one
// rank passes bad arguments, or some that do not fit those of the others, all get an error.
// The error wraps a *LostError if a rank has gone.
//
// MPI 4.1 section 7.4.2 (MPI_Comm_dup).
func (c *Comm) Dup() (*Comm, error) { return made(c.inner().Dup()) }

// Idup is Dup, nonblocking: the communicator can be used when the request is complete. It
// is begun in the same order as other nonblocking collective operations on c. The
// callbacks of attributes are called at once.
//
// MPI 4.1 section 7.4.2 (MPI_Comm_idup).
func (c *Comm) Idup() (*Comm, Request, error) {
	made, request, err := c.inner().Idup()
	return (*Comm)(made), Request(request), err
}

// Split returns a communicator of the ranks that pass the same color. They are in the
// order of their keys, and where those are the same in the order of c. It returns
// nil, and no error, if the color is Undefined; other colors are not negative. It is
// collective, as Dup.
//
// MPI 4.1 section 7.4.2 (MPI_Comm_split).
func (c *Comm) Split(color, key int) (*Comm, error) { return made(c.inner().Split(color, key)) }

// SplitType returns a communicator of the ranks that have something in common. They
// are in the order of their keys, and where those are the same in the order of c. It
// returns nil, and no error, if the kind is Undefined. All other ranks pass the same
// kind. It is collective, as Dup.
//
// MPI 4.1 section 7.4.2 (MPI_Comm_split_type).
func (c *Comm) SplitType(kind SplitKind, key int) (*Comm, error) {
	return made(c.inner().SplitType(comm.SplitKind(kind), key))
}

// Create returns a communicator of a group of ranks of c. All ranks of c call it; ranks
// may give different groups that have no rank in common. A rank that gives a group that
// it is not in, such as an empty one, gets nil, and no error. It is collective, as Dup.
//
// MPI 4.1 section 7.4.2 (MPI_Comm_create).
func (c *Comm) Create(g *Group) (*Comm, error) { return made(c.inner().Create((*comm.Group)(g))) }

// CreateGroup returns a communicator of a group of ranks of c. Only they call it, with
// the same group and tag, and wait for one another; a rank that is not in the group
// gets nil, and no error. Several goroutines of a rank may make communicators from c
// at the same time, also while others use c: the tag, from 0 to MaxTag, tells them
// apart.
//
// MPI 4.1 section 7.4.2 (MPI_Comm_create_group).
func (c *Comm) CreateGroup(g *Group, tag int) (*Comm, error) {
	return made(c.inner().CreateGroup((*comm.Group)(g), tag))
}

// Command is a program that Spawn starts, N ranks of it. Only Program and N are needed.
type Command struct {
	Program string   // as pvasrun takes it
	Args    []string // without the name of the program
	N       int      // ranks
	Dir     string   // working directory; "": that of the root
	Path    string   // where a program without a slash is looked for before PATH, as PATH has it
	Soft    string   // what other numbers of ranks will do, as "1:4,8"; "": none
	Host    string   // where it must run; "": anywhere
}

// Spawn has pvasrun start ranks, which have a world of their own, and returns a communicator of all: first come the
// ranks of c, then those of each command. A process without pvasrun starts it: it is looked for beside the program,
// then in PATH. The commands of the root count. It is collective, as Dup, and returns when
// the new ranks have called Parents; in C they merge the communicator of MPI_Comm_get_parent, as the high group. The
// error wraps ErrSpawn if they could not be started, or have ended before Init. A rank that fails ends all that it
// has a communicator with, so ranks that are to go on alone free it.
//
// MPI 4.1 section 11.8.1 (MPI_Comm_spawn, MPI_Intercomm_merge).
func (c *Comm) Spawn(root int, commands ...Command) (*Comm, error) {
	list := make([]comm.Command, len(commands))
	for i, command := range commands {
		list[i] = comm.Command(command)
	}
	return made(comm.SpawnMerged(c.inner(), root, list))
}

// Parents returns what Spawn returns to those that have had the ranks of the world c started, at its first call. It
// returns nil, and no error, if pvasrun has started them of itself. It is collective, as Dup.
//
// MPI 4.1 section 11.8.2 (MPI_Comm_get_parent, MPI_Intercomm_merge).
func (c *Comm) Parents() (*Comm, error) {
	between := comm.Parent(c.inner())
	if between == nil {
		return nil, nil
	}
	return made(comm.MergeWhole(between, true))
}

// OpenPort returns the name of a port at which this rank accepts those who know it: ranks of this job, or of another
// job of the user. Both jobs have been started by pvasrun then, on nodes that share the home directory. The program
// passes the name on. It does not block.
//
// MPI 4.1 section 11.9.2 (MPI_Open_port).
func (c *Comm) OpenPort() (name string, err error) { return comm.OpenPort(c.inner()) }

// ClosePort closes a port that this rank has opened. Those that wait at it get an error that wraps ErrPort.
//
// MPI 4.1 section 11.9.2 (MPI_Close_port).
func (c *Comm) ClosePort(name string) error { return comm.ClosePort(c.inner(), name) }

// Accept waits until others Connect to a port that the root has opened, and returns a communicator of all: first come
// the ranks of c, then theirs. The port of the root counts. It is collective, as Dup. The error wraps ErrPort if the
// port is closed. Between jobs there are messages and collective calls, but no windows. If a rank of the other job
// fails, calls that need it return a *LostError, and this job goes on. In C the others merge, as the high group.
//
// MPI 4.1 section 11.9.2 (MPI_Comm_accept, MPI_Intercomm_merge).
func (c *Comm) Accept(port string, root int) (*Comm, error) {
	between, err := comm.Accept(c.inner(), port, root, nil)
	if err != nil {
		return nil, err
	}
	return made(comm.MergeWhole(between, false))
}

// Connect is the other side of Accept, and returns the same communicator. The error wraps ErrPort if there is no such
// port, or nobody accepts within a minute.
//
// MPI 4.1 section 11.9.3 (MPI_Comm_connect, MPI_Intercomm_merge).
func (c *Comm) Connect(port string, root int) (*Comm, error) {
	between, err := comm.Connect(c.inner(), port, root, comm.ConnectTime, nil)
	if err != nil {
		return nil, err
	}
	return made(comm.MergeWhole(between, true))
}

// Self returns the communicator of this rank alone, the same at each call. It cannot be
// freed. Finalize removes its attributes first.
//
// MPI 4.1 section 7.2.4 (MPI_COMM_SELF).
func (c *Comm) Self() *Comm { return (*Comm)(c.inner().Self()) }

// Free ends the communicator. It is collective, and waits for nobody: rank 0 uses again what
// the communicator had when all others have called it. Attributes are removed first. Every
// later call on c returns ErrFreed (wrapped); requests that were begun before go on, and are
// waited for as ever. The world cannot be freed: ErrWorld.
//
// A message that nobody has received, and nobody is going to, is a mistake of the
// program: a later communicator may get it.
//
// The error is that of an attribute, or of a race with another call on c. c is freed nevertheless.
//
// MPI 4.1 section 7.4.3 (MPI_Comm_free).
func (c *Comm) Free() error { return c.inner().Free() }

// Failed returns the ranks of c that have failed, in the order of their ends: each later group begins with the earlier
// ones. A rank has failed when it has ended without Finalize. With pvasrun --survive the others go on: only what needs
// a rank that has failed returns an error, which wraps a *LostError. Failed is local.
//
// MPI Forum issue 20 (MPI_Comm_get_failed).
func (c *Comm) Failed() *Group { return (*Group)(comm.Failed(c.inner())) }

// Acknowledge has the failures of the first n ranks of Failed end no receive or probe from AnySource on c any more, and
// returns how many are acknowledged, with those of earlier calls. Until then such a receive returns an error when no
// message is there: a blocking one that wraps a *LostError, the wait for one that was begun by Irecv a *PendingError;
// that request goes on, and can be waited for again. It is local.
//
// MPI Forum issue 20 (MPI_Comm_ack_failed).
func (c *Comm) Acknowledge(n int) int { return comm.Acknowledge(c.inner(), n) }

// Revoke ends the use of c by all ranks, with pvasrun --survive. A receive or a collective call that is underway on it,
// and any call that begins later, returns ErrRevoked (wrapped) at each of them. A send that is underway may succeed:
// its message is dropped. So ranks that do not need the one that has failed learn that others go on elsewhere. One rank
// calls it, or several. It does not block. Free works as ever. Keep one communicator, such as the world, to make others
// from.
//
// MPI Forum issue 20 (MPI_Comm_revoke).
func (c *Comm) Revoke() error { return comm.Revoke(c.inner()) }

// IsRevoked tells whether a rank has revoked c, as far as this one has heard. It is local.
//
// MPI Forum issue 20 (MPIX_Comm_is_revoked).
func (c *Comm) IsRevoked() bool { return comm.IsRevoked(c.inner()) }

// Agree returns the bitwise AND of the flags that all ranks of c pass. It is collective, and works on a communicator
// that was revoked, too. It blocks until all that live have called it. With pvasrun --survive all ranks that return get
// the same flag and the same error, whichever rank fails when. The error wraps a *LostError, beside the flag, if a rank
// has failed before it has passed one, and some rank has not acknowledged that. It wraps a *MismatchError, and there is
// no flag, if another rank has called Shrink.
//
// MPI Forum issue 20 (MPIX_Comm_agree).
func (c *Comm) Agree(flag int) (int, error) {
	agreed, err := comm.Agree(c.inner(), uint64(flag))
	return int(agreed), err
}

// Shrink returns a communicator of the ranks of c that have not failed, in their order. All of them get the same one,
// which the caller frees; c stays. It is collective, and works on a communicator that was revoked, too. It blocks until
// all that live have called it. That ranks fail meanwhile is no error; that another one has called Agree is a
// *MismatchError. Intercommunicators and those of several nodes are refused.
//
// MPI Forum issue 20 (MPIX_Comm_shrink).
func (c *Comm) Shrink() (*Comm, error) { return made(comm.Shrink(c.inner())) }

// Survive calls f on all ranks of c, with a communicator of those that have not failed. When one of them fails in the
// meantime, all that are left call f again, with a new one. It returns nil when f has returned nil at all of them:
//
//	err := mpi.Survive(world, func(c *mpi.Comm) error {
//		state := restore() // f begins where it may: what a rank had in its memory is lost with it
//		...
//	})
//
// It is collective, and blocks until all that live have returned from f. f makes its calls on the communicator that it
// is passed, or on others that it has made of that. Agree, Shrink and Survive are refused there: Survive itself agrees.
// f returns the errors of its calls, wrapped with %w. After a *LostError or ErrRevoked there is another run, for which
// Survive revokes all these communicators. So the other ranks return, too, and all requests end: nobody need wait for
// them. It frees the one that it has made, not those of f. Any other error ends Survive: the rank gets it back, and the
// others one that says so. If f returns a *LostError or ErrRevoked though all ranks live, that is such an error, too.
//
// With pvasrun --respawn a rank that has failed is started anew, if c is the world. It runs the program from its
// beginning, where Replaces tells what it is, and its first Survive joins the run that begins then, in the old place.
//
// Ranks fail, and others go on, with pvasrun --survive, on one node. Else f is called once. Survive may be called on a
// communicator that was revoked, and not on one of Comm.With.
func Survive(c *Comm, f func(c *Comm) error) error {
	if f == nil {
		return comm.Survive(c.inner(), nil)
	}
	return comm.Survive(c.inner(), func(n *comm.Comm) error { return f((*Comm)(n)) })
}
