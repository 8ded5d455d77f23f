package window

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/gopvas/gopvas/internal/msg/coll"
	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/msg/reach"
	"github.com/gopvas/gopvas/internal/msg/window/check"
	"github.com/gopvas/gopvas/internal/msg/window/epoch"
	"github.com/gopvas/gopvas/internal/msg/window/lock"
	"github.com/gopvas/gopvas/internal/msg/window/regions"
	"github.com/gopvas/gopvas/internal/msg/window/remote"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/mpi/fault"
)

// Flavor is how a window has come by its memory.
type Flavor int

// The flavors.
const (
	Created   Flavor = iota // memory of the program
	Allocated               // memory of the window
	Shared                  // likewise, for loads and stores of all ranks
	Dynamic                 // memory that is attached: displacements are addresses
)

// Window is memory of the ranks of a communicator that all of them read and write. Calls that are not collective may be
// made by several goroutines at a time.
type Window struct {
	words   lock.Words // this and what follows, to epochs, is read by the face for C, too: see front_unsafe.go
	targets []target
	Handle  atomic.Uintptr
	far     bool           // memory of other ranks of the node is not mapped here
	ends    uint32         // of gone, before the window was made: all its ranks took part in that
	gone    *atomic.Uint32 // job.Ends
	epochs  epoch.State

	me       int
	own      *comm.Comm // with messages of its own
	node     node
	data     *comm.Window // of the node; a dynamic one has no bytes
	name     atomic.Pointer[string]
	flavor   Flavor
	hints    hints
	signals  signals
	attached *regions.Table // to a dynamic window; nil: of others
	remote   *remote.Ranks  // nil: all ranks are on this node
	watch    *check.Watch   // nil: of most windows
	reader   reader
}

// target is the memory of a rank.
type target struct {
	base        atomic.Uintptr // notMapped: this process has not mapped it yet
	bytes, unit uint64
	pid         int     // another process, or elsewhere; 0: it can be addressed here
	salt        uintptr // what the place in stripes begins with
}

const (
	notMapped = ^uintptr(0)
	anywhere  = 1<<63 - 1 // bytes of a dynamic window
	elsewhere = -1        // on another node: its base is 0
	another   = 1         // another process of this node
	saltShift = 48
)

// Spec is what a rank brings to the making of a window.
type Spec struct {
	Flavor Flavor
	Memory []byte  // of Created
	Base   uintptr // of Created without bytes: where the program says that they are
	Bytes  int     // of Allocated and Shared
	Unit   int     // bytes of a displacement
	Hints  *comm.Info
	Wrong  error // what the face has found wrong with the call of this rank: then all ranks get an error
}

// New makes a window on all ranks of a communicator, or on none, unless one cannot map what another has allocated. All
// pass the same flavor.
func New(c *comm.Comm, s Spec) (*Window, error) {
	w := &Window{flavor: s.Flavor}
	if comm.SeveralJobs(c) {
		return nil, w.wrap("make", -1, comm.ErrSeveralJobs)
	}
	err := comm.Make(c, "a call that makes a window", func(own *comm.Comm) error {
		w.own, w.me, w.signals.own = own, own.Rank(), own
		w.gone = job.Ends(comm.Root(own))
		w.ends = w.gone.Load()
		w.epochs.Init(own.Size(), ErrFreed)
		w.watch = check.New(own, &w.words, &w.epochs)
		own.SetName(job.OfWindow(""))
		comm.ExplainMessages(own, w.signals.explain)
		comm.BelongsTo(own, comm.WindowsLeft)
		if s.Flavor == Created || s.Flavor == Dynamic {
			comm.Expose(own)
		}
		if s.Flavor == Shared && !comm.OneNode(own) {
			return comm.ErrSeveralNodes
		}
		err := w.node.split(own)
		if err == nil {
			err = w.spread(s.Bytes, w.make(&s))
		}
		if err != nil {
			return errors.Join(err, w.node.free())
		}
		comm.CallAs(own, map[coll.Kind]string{coll.Barrier: "a fence of the window",
			coll.Allgather: "the end of the window"})
		return nil
	})
	if err != nil {
		return nil, w.wrap("make", -1, err)
	}
	return w, nil
}

// make makes the window of a node.
func (w *Window) make(s *Spec) error {
	if s.Wrong == nil {
		s.Wrong = errors.Join(s.check(), w.hints.set(s.Hints))
	}
	if err := w.agree(s); err != nil {
		return err
	}
	if (s.Flavor == Created || s.Flavor == Dynamic) && !w.node.c.OneAddressSpace() {
		switch err := w.node.find(); {
		case err == nil:
			w.far = true
		case !errors.Is(err, reach.ErrForbidden):
			return err
		default: // the window is made anew, of fewer ranks
			if err = w.data.Free(); err != nil {
				return comm.Bare(err)
			}
			if err = w.node.scatter(w.own); err != nil {
				return err
			}
			if err = w.agree(s); err != nil {
				return err
			}
		}
	}
	return w.locate()
}

// agree makes the memory of the window, and has the ranks of the node tell one another of it. This is the first
// exchange of all kinds of windows: it finds out if ranks make different ones.
func (w *Window) agree(s *Spec) (err error) {
	words, table := lock.Size(w.own.Size()), 0
	if s.Flavor == Dynamic {
		table = w.node.c.Size() * regions.Size
	}
	spec := comm.WinSpec{Bytes: s.Bytes, Unit: s.Unit, Base: s.Base, Align: w.hints.alignment(),
		Control: words + table + w.watch.Size(), Wrong: s.Wrong}
	switch {
	case s.Flavor == Dynamic:
		spec.Unit = 1
		w.data, err = comm.WinExpose(w.node.c, nil, spec) // which allocates the control block, and agrees
	case s.Flavor == Created:
		w.data, err = comm.WinExpose(w.node.c, s.Memory, spec)
	case s.Flavor == Shared && !w.hints.say(noncontiguous):
		w.data, err = comm.WinAllocateContiguous(w.node.c, spec)
	default:
		w.data, err = comm.WinAllocateShared(w.node.c, spec)
	}
	if err != nil {
		return comm.Bare(err)
	}
	memory, err := w.data.Control()
	if err != nil {
		return err
	}
	w.words.Lay(w.own, memory)
	if s.Flavor == Dynamic {
		w.attached = regions.New(memory[words:], w.node.c.Size(), w.node.c.Rank())
	}
	w.watch.Lay(memory[words+table:])
	return nil
}

// check finds what is wrong with the arguments of this rank.
func (s *Spec) check() error {
	switch {
	case s.Unit <= 0:
		return ErrUnit
	case s.Bytes < 0:
		return ErrSize
	}
	return nil
}

// locate makes the table of targets.
func (w *Window) locate() error {
	direct := w.node.c.OneAddressSpace()
	w.targets = make([]target, w.own.Size())
	for i, part := range w.data.Table() {
		rank := w.node.rankOf(i)
		t := &w.targets[rank]
		t.bytes, t.unit = uint64(part.Bytes), uint64(part.Unit)
		switch {
		case w.flavor == Dynamic:
			t.bytes = anywhere
		case part.Base == 0 && part.Bytes > 0:
			t.base.Store(notMapped)
		default:
			t.base.Store(part.Base)
		}
		if w.far && w.node.processes[i] != nil {
			t.pid = another
		}
		t.salt = t.base.Load()
		if !direct {
			t.salt = uintptr(rank) << saltShift
		}
	}
	_, err := w.mapped(w.me) // for the courier's goroutine
	return err
}

// member returns an error unless there is such a rank.
func (w *Window) member(rank int) error {
	if uint(rank) >= uint(len(w.targets)) {
		return &fault.RankError{Rank: rank, Size: len(w.targets)}
	}
	return nil
}

// mapped returns where the memory of a target begins. The first use of it may map it.
func (w *Window) mapped(rank int) (uintptr, error) {
	t := &w.targets[rank]
	base := t.base.Load()
	if base != notMapped {
		return base, nil
	}
	memory, err := w.Segment(rank)
	if err != nil {
		return 0, err
	}
	base = sys.AddrOf(memory)
	t.base.Store(base)
	return base, nil
}

// Free ends the window. It is collective: no rank returns before all have called it. In a job that survives it succeeds
// though ranks have failed, also within epochs that they have left open. Then it does not wait for others.
func (w *Window) Free() error {
	if err := w.epochs.Free(w.broken()); err != nil {
		return w.wrap("free", -1, err)
	}
	for _, free := range []func() error{w.signals.settle, w.remote.Leave, w.data.Free, w.node.free, w.own.Free} {
		if err := comm.Outlive(w.own, free()); err != nil {
			return w.wrap("free", -1, comm.Bare(err))
		}
	}
	return nil
}

// MayFree returns nil if Free is possible now.
func (w *Window) MayFree() error { return w.wrap("free", -1, w.epochs.MayFree(w.broken())) }

// Group is the ranks of the window.
func (w *Window) Group() *comm.Group { return w.own.Group() }

// Changed does what is due after a face has changed a word of the window.
func (w *Window) Changed() { w.words.Changed() }

// Watched tells whether calls are counted, recorded or checked.
func (w *Window) Watched() bool { return w.watch != nil }

// Completed notes that an operation on a rank is over by a request.
func (w *Window) Completed(rank int) {
	if w.watch != nil {
		w.watch.Completed(rank)
	}
}

// Flavor is how it was made.
func (w *Window) Flavor() Flavor { return w.flavor }

// Unit is the displacement unit that this rank has given.
func (w *Window) Unit() int { return int(w.targets[w.me].unit) }

// UnitOf is the displacement unit of any rank.
func (w *Window) UnitOf(rank int) int { return int(w.targets[rank].unit) }

// Data is the memory of the ranks of this node, for loads and stores.
func (w *Window) Data() *comm.Window { return w.data }

// Own is the memory of this rank; of a dynamic window there is none. It has a place, too, if it is empty and lies
// between that of others.
func (w *Window) Own() comm.Part {
	return comm.Part{Base: w.targets[w.me].base.Load(), Bytes: len(w.data.Local()), Unit: w.Unit()}
}

// Query is the memory of a rank, if this process can address it. comm.ProcNull is the first rank that has memory.
func (w *Window) Query(rank int) (comm.Part, error) {
	p, err := w.query(rank)
	return p, w.wrap("query", rank, err)
}

func (w *Window) query(rank int) (p comm.Part, err error) {
	if w.epochs.Freed() {
		return p, ErrFreed
	}
	if w.flavor == Dynamic {
		return p, fmt.Errorf("%w: a dynamic window has no memory of its own", ErrFlavor)
	}
	if rank == comm.ProcNull {
		for i := range w.targets {
			if w.targets[i].bytes > 0 {
				return w.query(i)
			}
		}
		return comm.Part{Unit: w.Unit()}, nil
	}
	if err := w.member(rank); err != nil {
		return p, err
	}
	t := &w.targets[rank]
	if p.Unit = int(t.unit); t.pid == 0 {
		p.Bytes = int(t.bytes)
		p.Base, err = w.mapped(rank)
	}
	return p, err
}

// SetName gives the window a name for messages to people, on this rank.
func (w *Window) SetName(name string) {
	w.name.Store(&name)
	w.own.SetName(job.OfWindow(name))
}

// Name returns it.
func (w *Window) Name() string {
	if name := w.name.Load(); name != nil {
		return *name
	}
	return ""
}
