package mpi

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/gopvas/gopvas/internal/msg/coll/operator"
	"github.com/gopvas/gopvas/internal/msg/comm"
)

// Comm is a communicator: some ranks of the job in an order of their own, whose
// messages and collective operations do not mix with those of any other communicator.
// Calls with elements are functions of this package that take it as their first argument.
// All calls may be made on a nil Comm, which stands for one that this rank is not in: they
// return ErrNoComm, or what says so.
type Comm comm.Comm

// inner is the communicator as the layer below sees it. A conversion costs nothing.
func (c *Comm) inner() *comm.Comm { return (*comm.Comm)(c) }

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
func Init() (*Comm, error) { return made(comm.Init(operatorNames)) }

// Run is a whole rank: Init, f, Finalize. If any of them fails it prints
// "rank R: error" on the standard error output and exits with code 1, upon which
// pvasrun ends the other ranks. Else it returns, and the program goes on alone.
func Run(f func(world *Comm) error) {
	comm.Run(operatorNames, func(world *comm.Comm) error {
		return errors.Join(f((*Comm)(world)), takeStrays())
	})
}

// Executable returns the absolute path of the running program, like os.Executable.
// That one cannot be used by ranks in one address space: there it names the
// process that hosts them. May be called before Init.
func Executable() (string, error) { return comm.Executable() }

// Rank returns the number of the calling process, from 0 to Size()-1; Undefined if c is
// nil.
//
// MPI 4.1 section 7.4.1.
func (c *Comm) Rank() int { return c.inner().Rank() }

// Size returns the number of ranks, at least 1; 0 if c is nil.
//
// MPI 4.1 section 7.4.1.
func (c *Comm) Size() int { return c.inner().Size() }

// Block returns what a rank has of n things that all ranks of c divide, in their order: those from first on, up to but
// not including end. No two ranks' numbers differ by more than 1. It is local.
func (c *Comm) Block(n, rank int) (first, end int) {
	parts := max(c.Size(), 1)
	bound := func(i int) int { // n * i / parts, where that may overflow
		i = min(max(i, 0), parts)
		return n/parts*i + n%parts*i/parts
	}
	if n < 0 || c == nil {
		n = 0
	}
	return bound(rank), bound(rank + 1)
}

// With returns a view of c, for the same ranks and messages, whose calls end when ctx does. The error then wraps the
// context's. It allocates: a loop makes its view before. Calls on c cost no more, and nobody frees the view. If ctx
// cannot end, With returns c.
//
// A receive or a probe is cancelled, unless its message has come: none is lost. A blocking send that is underway goes
// on by itself: its buffer must not be written to any more. After a collective operation that has ended so, its buffers
// must not be used, and all further calls on c, whose ranks are out of step now, return ErrInterrupted. With
// pvasrun --survive it is revoked. Else a goroutine goes on with it until the others have come, or Finalize ends it. So
// use a communicator of its own (Dup) for collectives that may be interrupted.
//
// Operations that do not block begin as on c, unless ctx has ended: wait by Request.WaitContext. Calls that
// make, free or change communicators, windows and files, and Agree, return ErrView. With on a view is With on c.
func (c *Comm) With(ctx context.Context) *Comm { return (*Comm)(comm.With(ctx, c.inner())) }

// Group returns the ranks of the communicator as a group. It is local, and works also
// after Free.
//
// MPI 4.1 section 7.3.2 (MPI_Comm_group).
func (c *Comm) Group() *Group { return (*Group)(c.inner().Group()) }

// Barrier returns nil when all ranks have called it. It blocks until then, without
// taking CPU time for long. What a rank wrote before is visible to all after.
//
// The error wraps a *LostError if a rank has gone before it got here; then no
// later barrier succeeds. It wraps ErrFinalized after Finalize.
//
// MPI 4.1 section 6.3.
func (c *Comm) Barrier() error { return c.inner().Barrier() }

// Ibarrier is Barrier, nonblocking.
//
// MPI 4.1 section 6.12.1 (MPI_Ibarrier).
func (c *Comm) Ibarrier() (Request, error) { return begun(c.inner().Ibarrier()) }

// BarrierInit makes a Barrier persistent.
//
// MPI 4.1 section 6.13.1 (MPI_Barrier_init).
func (c *Comm) BarrierInit() (Request, error) { return begun(c.inner().BarrierInit()) }

// FlushBuffer waits until all that this rank has sent in buffered mode, on whatever
// communicator, is with its receivers. The error wraps a *LostError if one of them has
// gone.
//
// MPI 4.1 section 3.6 (MPI_Buffer_flush, MPI_Buffer_detach).
func (c *Comm) FlushBuffer() error { return c.inner().FlushBuffer() }

// Finalize ends this rank's part in the job: every later call on the communicator
// or its windows returns ErrFinalized (wrapped). It waits for collective operations that
// other goroutines of this rank have begun, and for messages sent in buffered mode. It also
// waits until other nodes have acknowledged what was sent to them. It waits for nothing
// else of other ranks. Memory of windows stays as it is, for peers and for slices this rank
// still has.
//
// Receives that other goroutines of this rank are in fail.
//
// The error wraps a *LeakError if requests or messages from Mprobe are left. It wraps a
// *LostError if the job was to be measured here and a rank has gone before. The rank is
// finalized nevertheless. It joins the errors of operations that were added to no batch (Batch.Add).
//
// MPI 4.1 section 11.2.2.
func (c *Comm) Finalize() error {
	return errors.Join(c.inner().Finalize(), takeStrays())
}

// Abort ends this process at once with the given exit code, without deferred
// functions. It prints the rank, the code and the line of the call. pvasrun then ends all other ranks of the job, also
// those that are not in c, and returns the code: its lowest byte, or 1 if only that byte is 0. Abort may
// be called at any time, also after Finalize.
//
// MPI 4.1 section 9.7.
func (c *Comm) Abort(code int) {
	call := "Abort"
	if _, file, line, ok := runtime.Caller(1); ok {
		call = fmt.Sprintf("Abort at %s:%d", filepath.Base(file), line)
	}
	c.inner().Abort(call, code)
}
