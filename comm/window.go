package comm

import (
	"errors"
	"fmt"
	"math"

	"github.com/gopvas/gopvas/internal/sys"
	"github.com/gopvas/gopvas/job"
)

// Window is memory of every rank of a communicator that all of them can address,
// with loads and stores. Ranks agree by barriers, or by sync/atomic on the memory
// itself, on who writes when: the window does not arbitrate.
type Window struct {
	comm  *Comm
	slot  int
	local []byte // also what keeps memory from WinCreate reachable
}

// failed is published as the length by a rank that could not provide its part, so
// that its peers fail too instead of waiting for it.
const failed = math.MaxUint64

// WinAllocateShared gives each rank of c bytes of shared memory, filled with
// zeros, that all ranks can address. The lengths may differ from rank to rank; 0
// is allowed. It is collective and synchronises like a barrier.
//
// The memory starts at a multiple of 2 MiB if it is at least as long, else at a
// page. It is not Go memory: it may hold no Go pointers, and is neither moved nor
// collected. It stays until the job ends.
//
// If one rank can not have its memory, all ranks get an error. The error wraps a
// *LostError if a rank has gone.
//
// MPI 4.1 section 12.2.3.
func WinAllocateShared(c *Comm, bytes int) (*Window, error) {
	return c.newWindow("allocate shared window", func() (mem []byte, at uint64, err error) {
		return c.module.Alloc(bytes)
	})
}

// WinCreate makes a window over memory that is there already: an ordinary slice of
// each rank, such as one from make. Peers read and write it where it lies, so this
// works only where ranks share one address space; elsewhere the error wraps
// ErrNotOneAddressSpace, on every rank and without any waiting. The lengths may
// differ from rank to rank; 0 is allowed. It is collective and synchronises like a
// barrier.
//
// mem stays the caller's and can be used as before, but from now on others use it
// too. The window keeps it reachable until the process ends. It must be on the
// heap, which it is without any doing, because it is kept.
//
// MPI 4.1 section 12.2.1.
func WinCreate(c *Comm, mem []byte) (*Window, error) {
	const op = "create window"
	if !c.module.Direct() {
		return nil, Wrap(op, ErrNotOneAddressSpace)
	}
	return c.newWindow(op, func() ([]byte, uint64, error) {
		if len(mem) == 0 {
			return mem, 0, nil
		}
		return mem, uint64(sys.AddrOf(mem)), nil
	})
}

// newWindow is the collective part: each rank provides its memory by local and
// publishes it, and after a barrier all can see what the others have.
func (c *Comm) newWindow(op string, local func() (mem []byte, at uint64, err error)) (*Window, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.finalized.Load() {
		return nil, Wrap(op, ErrFinalized)
	}
	if !c.isWorld() {
		return nil, Wrap(op, ErrNotWorld)
	}
	// Collectives are called in the same order everywhere, so this is the same
	// slot on all ranks, and if there is none left, none waits for another.
	w := &Window{comm: c, slot: len(c.windows)}
	if w.slot >= job.MaxWindows {
		return nil, Wrap(op, fmt.Errorf("a job has at most %d windows: share larger ones", job.MaxWindows))
	}
	c.windows = append(c.windows, w)

	mem, at, localErr := local()
	length := uint64(len(mem))
	if localErr != nil {
		at, length = 0, failed
	}
	w.local = mem
	err := c.root.PublishWindow(c.rank, w.slot, at, length)
	if err == nil {
		err = c.root.Barrier(c.rank)
	}
	if err := errors.Join(localErr, err); err != nil {
		return nil, Wrap(op, err)
	}
	for rank := range c.size {
		if _, length := c.root.Window(rank, w.slot); length == failed {
			return nil, Wrap(op, fmt.Errorf("rank %d could not provide its memory", rank))
		}
	}
	return w, nil
}

// Local returns this rank's own memory of the window.
func (w *Window) Local() []byte { return w.local }

// Segment returns a rank's memory of the window: the same bytes as that rank's
// Local, for reading and writing. Where ranks are separate processes the first
// call for a rank maps it. It does not block. The slice stays valid until the
// process ends, whatever becomes of the other rank.
//
// The error wraps a *RankError if there is no such rank, ErrFinalized after
// Finalize.
//
// MPI 4.1 section 12.2.3 (MPI_Win_shared_query).
func (w *Window) Segment(rank int) ([]byte, error) {
	const op = "segment of window"
	c := w.comm
	switch {
	case c.finalized.Load():
		return nil, Wrap(op, ErrFinalized)
	case rank < 0 || rank >= c.size:
		return nil, Wrap(op, &RankError{Rank: rank, Size: c.size})
	case rank == c.rank:
		return w.local, nil
	}
	at, length := c.root.Window(rank, w.slot)
	if length > math.MaxInt {
		return nil, Wrap(op, fmt.Errorf("length %d of rank %d is damaged", length, rank))
	}
	mem, err := c.module.Attach(rank, at, int(length))
	return mem, Wrap(op, err)
}
