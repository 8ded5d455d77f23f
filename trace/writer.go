package trace

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// Writer writes a file, block by block. After an error it writes nothing more and returns the
// same error: what was written before can be read.
type Writer struct {
	w     io.Writer
	next  []uint64 // by rank and lane: records written
	total uint64
	err   error
}

// NewWriter begins a file: it writes the description. The Writer buffers nothing and does not
// close w. One goroutine at a time uses it.
func NewWriter(w io.Writer, m Meta) (*Writer, error) {
	text, err := json.Marshal(m)
	if err == nil {
		_, err = parseMeta(text)
	}
	if err != nil {
		return nil, fmt.Errorf("trace: write description: %w", err)
	}
	t := &Writer{w: w, next: make([]uint64, m.Ranks*lanes)}
	head := make([]byte, fileHeader)
	copy(head, Magic)
	binary.LittleEndian.PutUint32(head[8:], version)
	t.write(head)
	t.block(header{kind: blockMeta}, text)
	return t, t.err
}

// Events writes records of a lane of a rank, in the order in which the rank has written them:
// whole records, in one part or two. It keeps none of the bytes.
func (t *Writer) Events(rank, lane int, parts ...[]byte) error {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	if n == 0 {
		return t.err
	}
	next := &t.next[rank*lanes+lane]
	t.block(header{kind: blockEvents, rank: uint32(rank) | uint32(lane)<<laneShift, first: *next}, parts...)
	*next += uint64(n / RecordSize)
	t.total += uint64(n / RecordSize)
	return t.err
}

// Clock notes that a node's clock shows so many ticks when so much time has passed since the job
// was made.
func (t *Writer) Clock(node int, ticks uint64, since time.Duration) error {
	b := binary.LittleEndian.AppendUint64(nil, ticks)
	t.block(header{kind: blockClock, rank: uint32(node)}, binary.LittleEndian.AppendUint64(b, uint64(since)))
	return t.err
}

// End ends the file, and sets Events of its description. Nothing is written after it.
func (t *Writer) End(e End) error {
	e.Events = t.total
	text, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("trace: write end: %w", err)
	}
	t.block(header{kind: blockEnd}, text)
	return t.err
}

func (t *Writer) block(h header, payload ...[]byte) {
	for _, p := range payload {
		h.length += uint32(len(p))
	}
	h.sum = h.checksum(payload...)
	b := h.bytes()
	t.write(b[:])
	for _, p := range payload {
		t.write(p)
	}
}

func (t *Writer) write(b []byte) {
	if t.err != nil || len(b) == 0 {
		return
	}
	if _, err := t.w.Write(b); err != nil {
		t.err = fmt.Errorf("trace: write: %w", err)
	}
}
