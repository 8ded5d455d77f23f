package recorder

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/shm"
	"github.com/gopvas/gopvas/trace"
)

const (
	cacheLine = 64

	// headerSize is what the head of a buffer takes: a page, so that records begin at one.
	headerSize = 4096

	lanes = 2
)

// Lanes of a rank.
const (
	Main  = iota // what the rank does
	Nodes        // what it executes of graphs
)

// head is the start of a rank's buffer. Words are grouped by writer.
type head struct {
	// Written by the supervisor before the ranks start.
	magic   uint64
	counter uint32 // 1: ticks are those of the time stamp counter
	_       uint32
	base    uint64 // ticks when the job was made
	long    uint64 // ticks of a long computation: see Recorder
	_       [cacheLine - 32]byte

	// The supervisor sleeps here: in that of the first rank.
	event shm.Event
	_     [cacheLine - shm.EventSize]byte

	lanes [lanes]lane
}

// lane is one ring.
type lane struct {
	// Written by the rank.
	head uint64        // records written, ever; read atomically
	lost atomic.Uint64 // events not recorded since the last Lost event
	_    [cacheLine - 16]byte

	// Written by the supervisor.
	tail  atomic.Uint64 // records taken, ever
	space shm.Event     // the rank sleeps here until more are taken
	_     [cacheLine - 8 - shm.EventSize]byte
}

const magic = 0x31_65_63_61_72_74_76_70 // "pvtrace1"

// Size returns how many bytes a buffer should have in a job of so many ranks.
func Size(ranks int) int {
	const whole, least, most = 256 << 20, 256 << 10, 2 << 20
	records := least
	for records < most && 2*records*ranks <= whole {
		records *= 2
	}
	return headerSize + records + records/nodesShare
}

// nodesShare is how many times as large the main lane is as the other one.
const nodesShare = 4

// split returns how many records each lane has in a buffer of so many bytes.
func split(size int) (n [lanes]int) {
	records := 1
	for headerSize+(2*records+2*records/nodesShare)*trace.RecordSize <= size {
		records *= 2
	}
	return [lanes]int{records, records / nodesShare}
}

// prepare makes the buffers of a job ready, before the ranks start.
func prepare(root *job.Root, c *clock, tick float64) error {
	for rank := range root.Ranks() {
		b := root.TraceBuffer(rank)
		if len(b) < headerSize || split(len(b))[Nodes] < 8 {
			return fmt.Errorf("recorder: prepare buffer of rank %d: %d bytes are too few", rank, len(b))
		}
		h := headOf(b)
		if c.counter {
			h.counter = 1
		}
		h.base, h.long, h.magic = c.base, uint64(float64(longCompute)/tick), magic
	}
	return nil
}

// longCompute is the length of a computation from which on its CPU time is recorded: to ask for
// it takes a quarter of a microsecond.
const longCompute = 30 * time.Microsecond

// clock is where ticks come from.
type clock struct {
	counter bool
	base    uint64
	offset  uint64 // without a counter: monotonic clock minus the time since start
	start   time.Time
}

func newClock(h *head) clock {
	c := clock{counter: h.counter == 1, base: h.base, start: time.Now()}
	c.offset = uint64(sys.Monotonic()) - uint64(time.Since(c.start))
	return c
}

// now returns the ticks since the base.
func (c *clock) now() uint64 {
	if c.counter {
		return ticks() - c.base
	}
	return c.slow()
}

func (c *clock) slow() uint64 {
	if c.start.IsZero() {
		return uint64(sys.Monotonic()) - c.base
	}
	return c.offset + uint64(time.Since(c.start)) - c.base
}
