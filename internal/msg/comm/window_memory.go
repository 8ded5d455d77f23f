package comm

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"
	"syscall"

	"github.com/gopvas/gopvas/internal/msg/comm/kept"
	"github.com/gopvas/gopvas/internal/msg/numa"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/mpi/fault"
)

// windows are the windows of a process. Modules take no memory back, because a peer may still have it mapped. So the
// place of what a window has allocated is kept for the next one that fits, but its pages go back to the system.
//
// A block has room for a power of two. So windows whose sizes grow use the same blocks: those of a process are as many
// as it had windows of about that size at one time. What is beyond the window is never touched, and costs addresses
// alone. The pages of a few short blocks stay: to clear them is faster than to get them anew.
type windows struct {
	mu   sync.Mutex
	live map[*Window]struct{} // keeps their memory reachable: peers know it by its address
	free []block
	kept int // bytes of those in free that are not zeros

	published int // blocks that the supervisor knows of
}

// block is memory of this rank that peers can attach.
type block struct {
	mem  []byte
	at   uint64
	used bool // it may not be zeros
}

const (
	longestKept = 64 << 10  // bytes of a free block that keeps its pages
	mostKept    = 512 << 10 // bytes of all such blocks

	// leastPower is the shortest block that is a power of two.
	leastPower = 64 << 10
)

// take returns a block of at least size bytes, which are zeros: the smallest one that is
// free, unless it is much too large. The supervisor is to know of one for a program's memory.
func (w *windows) take(p *process, size int, program bool) (block, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if best := w.smallest(size, 2*min(size, math.MaxInt/2)); best >= 0 {
		return w.reuse(p, best, size), nil
	}
	mem, at, err := p.module.Alloc(p.blockSize(size))
	if err != nil {
		mem, at, err = p.module.Alloc(size)
	}
	if best := w.smallest(size, math.MaxInt); err != nil && best >= 0 {
		return w.reuse(p, best, size), nil
	}
	if errors.Is(err, syscall.ENOMEM) {
		err = fmt.Errorf("%w: %w", ErrNoRoom, err)
	}
	if err == nil && program {
		w.note(p, at, size)
	}
	return block{mem, at, true}, err
}

// smallest returns the smallest free block of at least size bytes and at most so many; -1 if there is none.
func (w *windows) smallest(size, most int) int {
	best := -1
	for i, b := range w.free {
		if fits := size > 0 && len(b.mem) >= size && len(b.mem) <= most; fits &&
			(best < 0 || len(b.mem) < len(w.free[best].mem)) {
			best = i
		}
	}
	return best
}

// reuse takes a free block, for size bytes.
func (w *windows) reuse(p *process, i, size int) block {
	b := w.free[i]
	w.free = slices.Delete(w.free, i, i+1)
	switch {
	case b.used:
		w.kept -= len(b.mem)
		clear(b.mem)
	default:
		p.bind(b.mem) // a contiguous window may have bound parts of it to nodes of other ranks
		if p.module.Direct() {
			p.root.UseHugePages(uintptr(b.at), uintptr(size))
		}
	}
	b.used = true
	return b
}

// blockSize returns how many bytes a new block has. Reserved huge pages are taken with the block, so it has no more
// than a window needs.
func (p *process) blockSize(size int) int {
	if size <= leastPower || size > 1<<62 || p.root.HugePages() == job.ReservedPages {
		return size
	}
	return 1 << bits.Len(uint(size-1))
}

// publish tells the supervisor, for the model of page tables, of memory that peers may
// attach: of the first blocks, as far as there is room.
func (w *windows) publish(p *process, at uint64, length int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.note(p, at, length)
}

// note is publish for those who hold w.mu.
func (w *windows) note(p *process, at uint64, length int) {
	if length > 0 && w.published < job.MaxWindows &&
		p.root.PublishWindow(p.number, w.published, at, uint64(length)) == nil {
		w.published++
	}
}

// UseHugePages is job.Root.UseHugePages. It does nothing if c is none.
func (c *Comm) UseHugePages(at, length uintptr) {
	if c.made() == nil {
		c.root.UseHugePages(at, length)
	}
}

// give takes back blocks that nobody uses.
func (w *windows) give(p *process, blocks ...block) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, b := range blocks {
		n := len(b.mem)
		switch {
		case n == 0:
			continue
		case n <= longestKept && w.kept+n <= mostKept:
			w.kept += n
		default:
			p.module.Clear(b.mem, b.at)
			b.used = false
		}
		w.free = append(w.free, b)
	}
}

func (w *windows) keep(win *Window) {
	w.mu.Lock()
	if w.live == nil {
		w.live = map[*Window]struct{}{}
	}
	w.live[win] = struct{}{}
	w.mu.Unlock()
}

// drop ends a window that no rank uses any more.
func (w *windows) drop(win *Window) {
	w.mu.Lock()
	delete(w.live, win)
	w.mu.Unlock()
	w.give(win.comm.process, win.block, win.control)
}

// allocate takes memory for the length of a segment. Blocks begin with a page.
func (w *Window) allocate(s *segment, align int) (err error) {
	bytes := int(s.length)
	size := bytes
	if bytes > 0 && align > w.comm.root.PageSize() {
		size = max(bytes, bytes+align) // a sum that wraps is more than there is, as bytes are
	}
	if w.block, err = w.comm.windows.take(w.comm.process, size, true); err != nil {
		return err
	}
	if size > bytes {
		s.skip = uint64(-sys.AddrOf(w.block.mem) & uintptr(align-1))
	}
	s.at, s.mapped = w.block.at, uint64(len(w.block.mem))
	w.local = w.block.mem[s.skip:][:bytes:bytes]
	return nil
}

// allocateControl is allocate for the words that Control returns. The report of page tables says nothing of them.
func (w *Window) allocateControl(s *segment, bytes int) (err error) {
	if w.comm.rank != 0 || bytes == 0 {
		return nil
	}
	if w.control, err = w.comm.windows.take(w.comm.process, bytes, false); err != nil {
		s.length = uint64(bytes) // agree tells what was wanted
		return err
	}
	s.control, s.controlMapped = w.control.at, uint64(len(w.control.mem))
	return nil
}

// Control returns the shared words of the window: WinSpec.Control bytes, zeros at first, the same on all ranks.
func (w *Window) Control() ([]byte, error) {
	first, mem := w.segments[0], w.control.mem
	if w.comm.rank != 0 && first.words > 0 {
		var err error
		mem, err = w.comm.module.Attach(int(w.comm.group.ranks[0]), first.control, int(first.controlMapped))
		if err != nil {
			return nil, err
		}
	}
	if uint64(len(mem)) < first.words {
		return nil, fmt.Errorf("%d bytes of shared words in %d are damaged", first.words, len(mem))
	}
	return mem[:first.words:first.words], nil
}

// leastBound is the least part of a contiguous window, in bytes, for which a memory area of its own pays.
const leastBound = 64 << 10

// bind has the whole pages of mem that are missing come from the NUMA node of this rank. mem is a part of a block of
// any rank.
func (p *process) bind(mem []byte) {
	if len(mem) >= leastBound {
		numa.Of(p.root, p.number).Bind(sys.AddrOf(mem), len(mem))
	}
}

// Block is memory that a process keeps by a name: see Keep.
type Block = kept.Block

// ErrNotKept means that a rank has kept no block of that name.
var ErrNotKept = kept.ErrNone

// Keep returns a block of so many bytes, zeros, in memory that outlives this process, for elements of a length. A block
// is this process's, not c's. It is local, and works on a communicator that was revoked.
func Keep(c *Comm, name string, bytes, unit int) (*Block, error) {
	const op = "keep"
	if err := local(c); err != nil {
		return nil, Wrap(op, err)
	}
	if bytes < 0 {
		return nil, Wrap(op, fmt.Errorf("%d bytes are no length", bytes))
	}
	take := func(n int) ([]byte, uint64, error) {
		b, err := c.windows.take(c.process, n, true)
		return b.mem, b.at, err
	}
	b, err := c.keeps.Keep(c.root, c.number, take, name, bytes, unit)
	return b, Wrap(op, err)
}

// KeptHere returns the block that this process keeps by a name. It is local.
func KeptHere(c *Comm, name string) (*Block, error) {
	const op = "find what is kept"
	if err := local(c); err != nil {
		return nil, Wrap(op, err)
	}
	b := c.keeps.Named(name)
	if b == nil {
		return nil, Wrap(op, ErrNotKept)
	}
	return b, nil
}

// Unkeep ends the keeping of a block, whose memory is used again then. It is local.
func Unkeep(c *Comm, b *Block) error {
	const op = "free what was kept"
	if err := local(c); err != nil {
		return Wrap(op, err)
	}
	err := c.keeps.Free(b)
	if err == nil {
		c.windows.give(c.process, block{b.All, b.At, true})
	}
	return Wrap(op, err)
}

// KeptOf returns the block that a rank of c had kept when it failed. It is local. The memory stays until the job ends.
func KeptOf(c *Comm, rank int, name string) (left kept.Left, err error) {
	const op = "get what was kept"
	err = local(c)
	switch {
	case err != nil:
	case uint(rank) >= uint(c.size):
		err = &fault.RankError{Rank: rank, Size: c.size}
	case !OneNode(c):
		err = ErrSeveralNodes
	case !job.Failed(c.root, int(c.group.ranks[rank])):
		err = fmt.Errorf("rank %d has not failed", rank)
	default:
		left, err = kept.Of(c.module, c.root, int(c.group.ranks[rank]), name)
	}
	return left, Wrap(op, err)
}

// local returns an error if calls that need no other rank cannot be made on c.
func local(c *Comm) error {
	if err := c.made(); err != nil || !c.finalized.Load() {
		return err
	}
	return ErrFinalized
}
