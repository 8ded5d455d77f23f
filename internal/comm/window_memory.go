package comm

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"syscall"

	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/sys"
)

// windows are the windows of a process. Modules take no memory back, because a peer may
// still read it: so what a window has allocated is kept for the next one that fits, and
// there is as much as windows had at one time.
type windows struct {
	mu   sync.Mutex
	live map[*Window]struct{} // keeps their memory reachable: peers know it by its address
	free []block

	published int // blocks that the supervisor knows of
}

// block is memory of this rank that peers can attach.
type block struct {
	mem []byte
	at  uint64
}

// take returns a block of at least size bytes, which are zeros: the smallest one that is
// free, unless it is much too large. The supervisor is to know of one for a program's memory.
func (w *windows) take(c *Comm, size int, program bool) (block, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	best := -1
	for i, b := range w.free {
		if fits := size > 0 && len(b.mem) >= size && len(b.mem)/2 <= size; fits &&
			(best < 0 || len(b.mem) < len(w.free[best].mem)) {
			best = i
		}
	}
	if best >= 0 {
		b := w.free[best]
		w.free = slices.Delete(w.free, best, best+1)
		clear(b.mem)
		return b, nil
	}
	mem, at, err := c.module.Alloc(size)
	if errors.Is(err, syscall.ENOMEM) {
		err = fmt.Errorf("%w: %w", ErrNoRoom, err)
	}
	if err == nil && program {
		w.note(c, at, len(mem))
	}
	return block{mem, at}, err
}

// publish tells the supervisor, for the model of page tables, of memory that peers may
// attach: of the first blocks, as far as there is room.
func (w *windows) publish(c *Comm, at uint64, length int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.note(c, at, length)
}

// note is publish for those who hold w.mu.
func (w *windows) note(c *Comm, at uint64, length int) {
	if length > 0 && w.published < job.MaxWindows &&
		c.root.PublishWindow(c.group.self, w.published, at, uint64(length)) == nil {
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
func (w *windows) give(blocks ...block) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, b := range blocks {
		if len(b.mem) > 0 {
			w.free = append(w.free, b)
		}
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
	w.give(win.block, win.control)
}

// allocate takes memory for the length of a segment. Blocks begin with a page.
func (w *Window) allocate(s *segment, align int) (err error) {
	bytes := int(s.length)
	size := bytes
	if bytes > 0 && align > w.comm.root.PageSize() {
		size = max(bytes, bytes+align) // a sum that wraps is more than there is, as bytes are
	}
	if w.block, err = w.comm.windows.take(w.comm, size, true); err != nil {
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
	if w.control, err = w.comm.windows.take(w.comm, bytes, false); err != nil {
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

// leastSettled is the least part of a contiguous window, in bytes, for which a memory area of its own pays.
const leastSettled = 64 << 10

// settle has the whole pages of mem, which is in the memory of another rank, lie on the NUMA node of this one. Nobody
// has touched them yet.
func (c *Comm) settle(mem []byte) {
	node, page := c.root.MemoryNode(int(c.group.ranks[c.rank])), uintptr(c.root.PageSize())
	if node == job.Unknown || len(mem) < leastSettled {
		return
	}
	at := sys.AddrOf(mem)
	first, last := (at+page-1)&^(page-1), (at+uintptr(len(mem)))&^(page-1)
	_ = sys.MemoryOn(first, last-first, node) // an error: it is slower, no more
}
