package trace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// Joint makes one file of those that the nodes of a job record, while they grow. Each has the
// events of its node's ranks, on its node's clock. Goroutines may call Take at a time, one for
// each node.
type Joint struct {
	mu   sync.Mutex // guards all below
	out  io.Writer
	meta Meta
	w    *Writer // nil until a node has described the job
	end  End
	took []uint64 // by node: records that were added
	left int      // nodes that have not ended their file
}

// NewJoint begins a file for nodes whose ranks are those of m.Nodes. Time 0 is m.BaseNS. BTL,
// CPUs, TickNS, GapNS and EagerLimit are those of the node that is the first to describe the job.
func NewJoint(out io.Writer, m Meta) *Joint {
	return &Joint{out: out, meta: m, took: make([]uint64, len(m.Hosts)), left: len(m.Hosts)}
}

// Take adds what a node records, until the end of r. By ahead the node's clock is ahead of that
// of m.BaseNS, as far as is known when it is called. The error says why a part of the node's file
// is missing; what came before is in the joint file. It wraps a *CutError if r ends early.
func (j *Joint) Take(node int, r io.Reader, ahead func() time.Duration) error {
	b, err := newBlocks(r)
	if err != nil {
		return fmt.Errorf("trace: node %d: %w", node, err)
	}
	if err := j.describe(&b.meta); err != nil {
		return err
	}
	for {
		next, err := b.next()
		if err == nil {
			err = j.add(node, &b.meta, next, ahead)
		}
		if errors.Is(err, errEnded) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("trace: node %d: %w", node, err)
		}
	}
}

// errEnded says that the end of a node's file was taken.
var errEnded = errors.New("the file has ended")

// describe begins the joint file by what the first node says.
func (j *Joint) describe(m *Meta) (err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.w != nil {
		return j.w.err
	}
	j.meta.Ranks, j.meta.BTL, j.meta.CPUs = m.Ranks, m.BTL, m.CPUs
	j.meta.TickNS, j.meta.GapNS, j.meta.EagerLimit = m.TickNS, m.GapNS, m.EagerLimit
	j.w, err = NewWriter(j.out, j.meta)
	return err
}

// add adds a block of a node.
func (j *Joint) add(node int, m *Meta, b block, ahead func() time.Duration) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	wrong := func(text string) error { return &CutError{b.offset, text} }
	switch b.kind {
	case blockEvents:
		rank, lane := int(b.rank&(1<<laneShift-1)), int(b.rank>>laneShift)
		if rank >= j.meta.Ranks || lane >= lanes || j.meta.node(rank) != node || len(b.payload)%RecordSize != 0 {
			return wrong(fmt.Sprintf("events of lane %d of rank %d make no sense", lane, rank))
		}
		j.took[node] += uint64(len(b.payload) / RecordSize)
		return j.w.Events(rank, lane, b.payload)
	case blockClock:
		if len(b.payload) != 16 {
			return wrong(fmt.Sprintf("a clock of %d bytes", len(b.payload)))
		}
		at := m.BaseNS + int64(binary.LittleEndian.Uint64(b.payload[8:])) - int64(ahead()) - j.meta.BaseNS
		return j.w.Clock(node, binary.LittleEndian.Uint64(b.payload), time.Duration(max(at, 0)))
	case blockEnd:
		e, err := parseEnd(b.payload)
		if err != nil {
			return wrong(err.Error())
		}
		if e.Events < j.took[node] {
			return wrong(fmt.Sprintf("the end of a file of %d events, of which %d have come", e.Events, j.took[node]))
		}
		j.end.Lost += e.Lost + e.Events - j.took[node]
		j.end.Seconds = max(j.end.Seconds, e.Seconds)
		j.left--
		return errEnded
	}
	return nil
}

// End ends the file, when no Take is left. Without the ends of all nodes the file has none: it
// is incomplete.
func (j *Joint) End() error {
	if j.w == nil || j.left > 0 {
		return nil
	}
	return j.w.End(j.end)
}
