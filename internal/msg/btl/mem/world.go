package mem

import (
	"fmt"
	"sync"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/node/job"
)

// Options are the limits of a World. A zero means a generous default.
type Options struct {
	EagerLimit int // longest payload of Send in bytes
	Inline     int // longest inline payload in bytes; negative: none is inline
	Queue      int // messages in a rank's queue
	Credit     int // unreleased messages from one rank to another
	Offers     int // offers underway from one rank
	Piece      int // bytes that one call of Progress copies
	Delay      int // calls of Poll that each message is late
}

func (o Options) withDefaults() Options {
	for _, d := range []struct {
		field *int
		value int
	}{
		{&o.EagerLimit, 4096}, {&o.Inline, 64}, {&o.Queue, 256}, {&o.Credit, 256},
		{&o.Offers, 1 << 20}, {&o.Piece, 256 << 10},
	} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	return o
}

// World is the memory of all ranks of a job.
type World struct {
	root *job.Root
	opts Options

	mu      sync.Mutex // guards the rest, and all modules' fields but their own scratch
	modules []*Module
	pairs   map[[2]int32]int // unreleased messages from, to
	slots   []*slot          // pool
}

// New returns a world for the ranks of a job.
func New(root *job.Root, o Options) *World {
	w := &World{root: root, opts: o.withDefaults(), pairs: map[[2]int32]int{}}
	for rank := range root.Ranks() {
		w.modules = append(w.modules, &Module{world: w, rank: int32(rank), memory: map[uint64][]byte{}})
	}
	return w
}

// Module returns the module of a rank, the same each time.
func (w *World) Module(rank int) *Module { return w.modules[rank] }

// phase is how far a message has come.
type phase uint8

const (
	unused  phase = iota
	claimed       // see Stop
	arriving
	here     // eager: delivered, not released
	announce // offered: delivered, not accepted
	moving   // accepted
	moved    // all bytes are there
)

// slot is one message on its way. Both ends of a rendezvous are the slot's.
type slot struct {
	world   *World
	from    *Module
	to      *Module
	header  btl.Header
	offered bool
	phase   phase
	late    int // calls of Poll that it is still to be late

	payload []byte     // eager: the copy
	src     btl.Buffer // offered: the sender's memory
	dst     btl.Buffer // offered: the receiver's
	taken   int        // bytes that the receiver wants
	copied  int

	sender, receiver transfer
}

// transfer is one end of a rendezvous.
type transfer struct {
	slot *slot
	over bool // Progress has said so, or this end is not in use
}

func (w *World) newSlot() *slot {
	if n := len(w.slots); n > 0 {
		s := w.slots[n-1]
		w.slots = w.slots[:n-1]
		return s
	}
	s := &slot{world: w, payload: make([]byte, 0, w.opts.EagerLimit)}
	s.sender.slot, s.receiver.slot = s, s
	return s
}

func (w *World) freeSlot(s *slot) {
	s.phase, s.src, s.dst, s.from, s.to = unused, btl.Buffer{}, btl.Buffer{}, nil, nil
	w.slots = append(w.slots, s)
}

// poison destroys bytes that nobody may use any more.
func poison(p []byte) {
	for i := range p {
		p[i] = 0xDB
	}
}

func misuse(format string, args ...any) { panic("mem: " + fmt.Sprintf(format, args...)) }
