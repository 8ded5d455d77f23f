package mpi

import (
	"os"
	"sync"
	"sync/atomic"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/job"
	"github.com/gopvas/gopvas/pml"
)

// Comm is a communicator: a set of ranks that call collective operations together.
// There is one so far, the world, from Init.
type Comm struct {
	root       *job.Root
	rank, size int
	module     btl.Module
	engine     *pml.Engine
	context    uint32 // of point-to-point messages
	finalized  atomic.Bool

	mu      sync.Mutex // held during collective operations; guards the rest
	windows []*Window  // all there ever were: keeps their memory reachable
}

// worldContext is the context of the world's point-to-point messages.
const worldContext = 0

// newWorld returns the communicator of all ranks of a job.
func newWorld(root *job.Root, rank int, module btl.Module) *Comm {
	return &Comm{
		root: root, rank: rank, size: root.Ranks(), module: module,
		engine: pml.New(root, rank, module), context: worldContext,
	}
}

// Rank returns the number of the calling process, from 0 to Size()-1.
//
// MPI 4.1 section 7.4.1.
func (c *Comm) Rank() int { return c.rank }

// Size returns the number of ranks, at least 1.
//
// MPI 4.1 section 7.4.1.
func (c *Comm) Size() int { return c.size }

// Barrier returns nil when all ranks have called it. It blocks until then, without
// taking CPU time for long. What a rank wrote before is visible to all after.
//
// The error wraps a *LostError if a rank has gone before it got here; then no
// later barrier succeeds. It wraps ErrFinalized after Finalize.
//
// MPI 4.1 section 6.3.
func (c *Comm) Barrier() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.finalized.Load() {
		return opError("barrier", ErrFinalized)
	}
	return opError("barrier", c.root.Barrier(c.rank))
}

// Abort ends this process at once with the given exit code, without deferred
// functions, upon which pvasrun ends all other ranks and returns the code. A code
// that does not mean failure (outside of 1..255) is replaced by 1: the job did
// fail. Abort may be called at any time, also after Finalize.
//
// MPI 4.1 section 9.7.
func (c *Comm) Abort(code int) {
	if code < 1 || code > 255 {
		code = 1
	}
	c.root.SetState(c.rank, job.StateAborted)
	os.Exit(code)
}

// Partition returns the part of the shared address space, from base on and of size
// bytes, that belongs to this rank: its image, stack and arena lie there. ok is
// false if the ranks do not share an address space; a job of one started without
// pvasrun has no partition either.
func (c *Comm) Partition() (base, size uint64, ok bool) {
	base, size = c.root.Partition(c.rank)
	return base, size, size != 0
}
