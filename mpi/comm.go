package mpi

import (
	"github.com/gopvas/gopvas/internal/coll/operator"
	"github.com/gopvas/gopvas/internal/comm"
)

// What has no element type is in package comm, under the same names: `go doc comm.Comm.Dup`.

// Comm is a communicator: some ranks of the job in an order of their own, whose
// messages and collective operations do not mix with those of any other communicator.
// Calls with elements are functions of this package that take it as their first
// argument. Its methods, which package comm describes, are
//
//	Rank, Size, Group          who is in it
//	Barrier, Ibarrier, BarrierInit
//	Dup, Idup, Split, SplitType, Create, CreateGroup, Free
//	Self                       of this rank alone
//	Compare                    with another
//	FlushBuffer                waits for messages from Bsend
//	SetName, Name              for messages to people
//	Finalize, Abort            the end of the rank, of the job
//	Algorithm                  of the last collective operation
//	Stats, GraphStats          what the rank has done
//	OneAddressSpace, Partition where the ranks are
//	ID                         a number of the communicator
//	Attribute, SetAttribute, DeleteAttribute    untyped; see type Attribute
//	NeighborRanks              of its topology
type Comm = comm.Comm

// Group is an ordered set of ranks. Its methods, which package comm describes, are
//
//	Size, Rank, TranslateRanks, Equal, Compare
//	Incl, Excl, RangeIncl, RangeExcl, Union, Intersection, Difference
type Group = comm.Group

// Range is ranks at a stride, for Group.RangeIncl and Group.RangeExcl.
type Range = comm.Range

// SplitKind is what the ranks of a communicator from Comm.SplitType have in common.
type SplitKind = comm.SplitKind

// The kinds.
const (
	Shared       = comm.Shared       // they can share memory: all ranks of a job
	AddressSpace = comm.AddressSpace // they are in one address space
)

// Comparison is how two communicators, or two groups, are like.
type Comparison = comm.Comparison

// The results of Comm.Compare and Group.Compare.
const (
	Identical = comm.Identical // the same; of groups: the same ranks in the same order
	Congruent = comm.Congruent // different communicators of the same ranks in the same order
	Similar   = comm.Similar   // the same ranks in another order
	Unequal   = comm.Unequal
)

// Wildcards and special values, MPI 4.1 sections 3.2.4 and 3.10.
const (
	AnySource = comm.AnySource // receive from whatever rank sends first
	AnyTag    = comm.AnyTag    // receive a message of any tag
	ProcNull  = comm.ProcNull  // the rank that nobody is: sends to it and receives from it do nothing

	// Undefined is the count of a message that is no whole number of elements, and
	// the index of WaitAny if there is nothing to wait for.
	Undefined = comm.Undefined

	// MaxTag is the greatest tag; the smallest is 0 (MPI_TAG_UB).
	MaxTag = comm.MaxTag
)

// operatorNames are how ranks find the operators of others.
var operatorNames = comm.Operators{Resolve: resolveOperator, Describe: operator.Describe}

// Init makes this process a rank of the job that it was started in. If pvasrun did
// not start it, it gets a job of its own. Init returns the communicator of all
// ranks (MPI_COMM_WORLD). A process calls it once: later calls return
// ErrInitialized (wrapped), also when the first failed. It does not wait for other
// ranks.
//
// Init removes PVAS_JOB from the environment, so that a program that this rank
// starts is not taken for the same rank.
//
// MPI 4.1 section 11.2.1.
func Init() (*Comm, error) { return comm.Init(operatorNames) }

// Run is a whole rank: Init, f, Finalize. If any of them fails it prints
// "rank R: error" on the standard error output and exits with code 1, upon which
// pvasrun ends the other ranks. Else it returns, and the program goes on alone.
func Run(f func(world *Comm) error) { comm.Run(operatorNames, f) }

// Executable returns the absolute path of the running program, like os.Executable.
// That one can not be used by ranks in one address space: there it names the
// process that hosts them. May be called before Init.
func Executable() (string, error) { return comm.Executable() }

// Statistics is what the messages of a rank have cost since Init; Path counts the
// messages that went one way. Plus adds two ranks' up.
type (
	Statistics = comm.Statistics
	Path       = comm.Path
)

// GraphStatistics is what a rank has executed of nonblocking collective operations and
// graphs, its own and others'.
type GraphStatistics = comm.GraphStatistics

// Stats returns the statistics of this process' rank, zeros before Init. It does not
// block.
func Stats() Statistics {
	if world := comm.World(); world != nil {
		return world.Stats()
	}
	return Statistics{}
}

// GraphStats returns what this process' rank has executed since Init, zeros before. It
// does not block for long.
func GraphStats() GraphStatistics {
	if world := comm.World(); world != nil {
		return world.GraphStats()
	}
	return GraphStatistics{}
}
