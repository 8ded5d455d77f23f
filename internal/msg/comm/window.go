package comm

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/mpi/fault"
)

// Window is memory of every rank of a communicator that all of them can address,
// with loads and stores. Ranks agree by barriers, or by sync/atomic on the memory
// itself, on who writes when: the window does not arbitrate.
//
// A communicator has any number of windows. It is freed after them.
type Window struct {
	comm     *Comm
	block    block // this rank's memory, if the window has allocated it
	control  block // of rank 0; others know its place alone
	local    []byte
	all      []byte    // of a contiguous window: the memory of all ranks
	segments []segment // by rank
	freed    atomic.Bool
}

// segment is what a rank has told the others of its memory.
type segment struct {
	at     uint64 // where it is, for btl.Memory.Attach
	mapped uint64 // bytes that peers attach: the same for every use of a block
	length uint64 // bytes of the window
	unit   uint64 // size of an element in bytes
	call   uint64 // by which the window is made
	skip   uint64 // bytes before those of the window, for its alignment

	words                  uint64 // WinSpec.Control: all ranks pass the same
	control, controlMapped uint64 // of rank 0: at and mapped of the memory of those words
}

// WinSpec is what a rank brings to the making of a window.
type WinSpec struct {
	Bytes   int     // of this rank's memory
	Unit    int     // size of this rank's elements: it is told to the others, and means nothing here
	Align   int     // this rank's memory begins at a multiple of it, a power of two, and of a page
	Base    uintptr // where the memory of WinExpose lies if it has no bytes: it means nothing here
	Control int     // bytes of shared words beside the memory of the ranks: see Control. All pass the same
	Wrong   error   // what the face has found wrong with the call: then all ranks get an error, this one Wrong
}

const (
	// failed is the length of a rank that could not provide its part, so that its peers fail too instead of waiting for
	// it. What it wanted is its mapped, if there was no room for that, else 0.
	failed = math.MaxUint64

	// The calls that make and free windows, and their steps.
	allocated     = 1
	created       = 2
	pieceAsked    = 3
	pieceMade     = 4
	pieceAttached = 5
	given         = 6
)

// OneNode tells whether the ranks of a communicator are on one node, as those of a window must be.
func OneNode(c *Comm) bool {
	return c.made() == nil && c.engine.Routes().Memory(c.members.ranks) != nil
}

// WinAllocateShared gives each rank of c shared memory, filled with zeros, that all ranks can address. MPI 4.1 section
// 12.2.3.
func WinAllocateShared(c *Comm, spec WinSpec) (_ *Window, err error) {
	const op = "allocate shared window"
	if err := c.enter(op); err != nil {
		return nil, Wrap(op, err)
	}
	defer leave(c, op, &err)
	if c.engine.Routes().Memory(c.members.ranks) == nil {
		return nil, Wrap(op, ErrSeveralNodes)
	}
	w := &Window{comm: c}
	mine := segment{length: uint64(spec.Bytes), unit: uint64(spec.Unit), call: allocated, words: uint64(spec.Control)}
	err = spec.Wrong
	if err == nil {
		err = w.allocate(&mine, spec.Align)
	}
	if err == nil {
		err = w.allocateControl(&mine, spec.Control)
	}
	w.segments, err = w.agree(mine, err)
	return w.made(op, err)
}

// WinAllocateContiguous is WinAllocateShared in one piece: the memory of each rank begins
// where that of the rank before it ends. The piece begins where rank 0 wants it. MPI 4.1 section 12.2.3 (without
// alloc_shared_noncontig).
func WinAllocateContiguous(c *Comm, spec WinSpec) (_ *Window, err error) {
	const op = "allocate contiguous window"
	if err := c.enter(op); err != nil {
		return nil, Wrap(op, err)
	}
	defer leave(c, op, &err)
	if c.engine.Routes().Memory(c.members.ranks) == nil {
		return nil, Wrap(op, ErrSeveralNodes)
	}
	w := &Window{comm: c}
	return w.made(op, w.join(spec))
}

// join makes a contiguous window in three steps, each of which fails for all ranks or for
// none: all tell their lengths, rank 0 allocates, all attach that.
func (w *Window) join(spec WinSpec) error {
	c, wrong := w.comm, spec.Wrong
	if spec.Bytes < 0 {
		wrong = errors.Join(wrong, fmt.Errorf("%d bytes are no length", spec.Bytes))
	}
	length := uint64(spec.Bytes)
	parts, err := w.agree(segment{mapped: length, length: length, unit: uint64(spec.Unit), call: pieceAsked,
		words: uint64(spec.Control)}, wrong)
	if err != nil {
		return err
	}
	total := uint64(0)
	for _, s := range parts {
		total = min(total+s.length, math.MaxInt) // which nobody has
	}
	piece := segment{call: pieceMade}
	if c.rank == 0 {
		piece.length = total
		if err = w.allocate(&piece, spec.Align); err == nil {
			err = w.allocateControl(&piece, spec.Control)
		}
	}
	pieces, err := w.agree(piece, err)
	if err != nil {
		return err
	}
	piece = pieces[0]
	mem := w.block.mem
	if c.rank != 0 {
		mem, err = c.module.Attach(int(c.group.ranks[0]), piece.at, int(piece.mapped))
	}
	if err == nil {
		parts[0].control, parts[0].controlMapped = piece.control, piece.controlMapped
		w.all, w.segments = mem[piece.skip:][:total:total], parts
		begin, end := w.bounds(c.rank)
		w.local = w.all[begin:end:end]
		c.bind(w.local)
	}
	_, err = w.agree(segment{call: pieceAttached}, err)
	return err
}

// bounds returns where the memory of a rank is in that of a contiguous window.
func (w *Window) bounds(rank int) (begin, end uint64) {
	for _, s := range w.segments[:rank] {
		begin += s.length
	}
	return begin, begin + w.segments[rank].length
}

// made returns the window to the program, or gives its memory back and returns the error.
func (w *Window) made(op string, err error) (*Window, error) {
	if err == nil {
		w.comm.windows.keep(w)
		return w, nil
	}
	if !isLost(err) {
		// After a loss another rank may not know of it, and use the memory.
		w.comm.windows.give(w.comm.process, w.block, w.control)
	}
	return nil, Wrap(op, err)
}

// WinExpose makes a window over memory that is there already: ordinary memory of each rank. Between processes Segment
// has no memory but that of this rank: others know its place by Table. MPI 4.1 section 12.2.1.
func WinExpose(c *Comm, mem []byte, spec WinSpec) (_ *Window, err error) {
	const op = "create window"
	if err := c.enter(op); err != nil {
		return nil, Wrap(op, err)
	}
	defer leave(c, op, &err)
	if c.engine.Routes().Memory(c.members.ranks) == nil {
		return nil, Wrap(op, ErrSeveralNodes)
	}
	w := &Window{comm: c, local: mem}
	mine := segment{length: uint64(len(mem)), mapped: uint64(len(mem)), unit: uint64(spec.Unit), call: created,
		words: uint64(spec.Control)}
	err = spec.Wrong
	if err == nil {
		err = w.allocateControl(&mine, spec.Control)
	}
	if err == nil && len(mem) == 0 {
		mine.at = uint64(spec.Base)
	} else if err == nil {
		mine.at = uint64(sys.AddrOf(mem))
		c.windows.publish(c.process, mine.at, len(mem))
	}
	w.segments, err = w.agree(mine, err)
	return w.made(op, err)
}

// agree tells all ranks of the communicator where this one's memory is, and returns where
// theirs are. It is an Allgather, so messages make progress meanwhile. The caller holds the
// communicator's lock.
func (w *Window) agree(mine segment, localErr error) ([]segment, error) {
	if localErr != nil {
		wanted := mine.length
		mine = segment{length: failed, call: mine.call, words: mine.words}
		if errors.Is(localErr, ErrNoRoom) {
			mine.mapped = wanted
		}
	}
	segments := make([]segment, w.comm.size)
	err := w.comm.team.Run(telling(mine, segments))
	if err := errors.Join(localErr, Bare(err)); err != nil {
		return nil, err
	}
	for rank, s := range segments {
		switch {
		case s.length != failed && (s.length > s.mapped || s.skip > s.mapped-s.length || s.mapped > math.MaxInt):
			return nil, fmt.Errorf("rank %d: a segment of %d bytes in %d is damaged", rank, s.length, s.mapped)
		case s.call != mine.call || s.words != mine.words:
			return nil, fmt.Errorf("rank %d makes a window of another kind: all ranks make the same call", rank)
		case s.length == failed && s.mapped > 0:
			return nil, fmt.Errorf("rank %d: %w: %d bytes", rank, ErrNoRoom, s.mapped)
		case s.length == failed:
			return nil, fmt.Errorf("rank %d could not provide its memory", rank)
		}
	}
	return segments, nil
}

// ErrNoRoom means that a rank has no memory left for a window.
var ErrNoRoom = btl.ErrExhausted

// errNoWindow is what calls on a nil window return.
var errNoWindow = errors.New("no such window: it comes from WinAllocateShared, WinAllocateContiguous or WinCreate")

// Comm returns the communicator of the window.
//
// MPI 4.1 section 12.2.7 (MPI_Win_get_group).
func (w *Window) Comm() *Comm { return w.comm }

// Local returns this rank's own memory of the window.
func (w *Window) Local() []byte {
	if w == nil {
		return nil
	}
	return w.local
}

// All returns the memory of all ranks, in their order, of a window from
// WinAllocateContiguous; nil of others.
func (w *Window) All() []byte {
	if w == nil {
		return nil
	}
	return w.all
}

// Unit returns the size of an element of a rank of the window.
//
// MPI 4.1 section 12.2.3 (MPI_Win_shared_query).
func (w *Window) Unit(rank int) (int, error) {
	if uint(rank) >= uint(len(w.segments)) {
		return 0, Wrap("unit of window", &fault.RankError{Rank: rank, Size: len(w.segments)})
	}
	return int(w.segments[rank].unit), nil
}

// Part is a rank's memory of a window.
type Part struct {
	Base        uintptr // 0: Segment attaches it. Of a window from WinExpose it is an address of that rank's process
	Bytes, Unit int
}

// Table returns the memory of all ranks.
func (w *Window) Table() []Part {
	table, next := make([]Part, len(w.segments)), uintptr(0)
	if len(w.all) > 0 {
		next = sys.AddrOf(w.all)
	}
	for rank, s := range w.segments {
		p := &table[rank]
		p.Bytes, p.Unit = int(s.length), int(s.unit)
		switch {
		case w.all != nil:
			p.Base = next
			next += uintptr(s.length)
		case s.call == created || w.comm.OneAddressSpace():
			p.Base = uintptr(s.at + s.skip)
		}
	}
	return table
}

// Segment returns a rank's memory of the window: the same bytes as that rank's
// Local, for reading and writing. Where ranks are separate processes the first
// call for a rank maps it. It does not block. The slice can be used until Free,
// whatever becomes of the other rank.
//
// The error wraps a *RankError if there is no such rank, ErrFinalized after
// Finalize, ErrWindowFreed after Free.
//
// MPI 4.1 section 12.2.3 (MPI_Win_shared_query).
func (w *Window) Segment(rank int) ([]byte, error) {
	const op = "segment of window"
	if w == nil {
		return nil, Wrap(op, errNoWindow)
	}
	c := w.comm
	switch {
	case c.finalized.Load():
		return nil, Wrap(op, ErrFinalized)
	case w.freed.Load():
		return nil, Wrap(op, ErrWindowFreed)
	case uint(rank) >= uint(len(w.segments)):
		return nil, Wrap(op, &fault.RankError{Rank: rank, Size: len(w.segments)})
	case rank == c.rank:
		return w.local, nil
	case w.all != nil:
		begin, end := w.bounds(rank)
		return w.all[begin:end:end], nil
	}
	s := w.segments[rank]
	mem, err := c.module.Attach(int(c.group.ranks[rank]), s.at, int(s.mapped))
	if err != nil {
		return nil, Wrap(op, err)
	}
	return mem[s.skip:][:s.length:s.length], nil
}

// Free ends the window. It is collective and synchronises like a barrier: no rank
// returns before all have called it. Nobody uses any rank's memory by the window from
// then on. Memory from WinAllocateShared is used again by later windows of its rank; that
// from WinCreate is the caller's alone again.
//
// The error wraps a *LostError if a rank has gone; the window is freed nevertheless, but
// its memory is not used again.
//
// MPI 4.1 section 12.2.6 (MPI_Win_free).
func (w *Window) Free() (err error) {
	const op = "free window"
	if w == nil {
		return Wrap(op, errNoWindow)
	}
	c := w.comm
	if err := c.enter(op); err != nil {
		return Wrap(op, err)
	}
	defer leave(c, op, &err)
	if w.freed.Swap(true) {
		return Wrap(op, ErrWindowFreed)
	}
	if _, err := w.agree(segment{call: given}, nil); err != nil {
		return Wrap(op, err)
	}
	c.windows.drop(w)
	return nil
}
