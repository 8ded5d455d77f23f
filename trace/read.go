package trace

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// CutError says that a file ends, or makes no sense any more, before its end.
type CutError struct {
	Offset int64 // of the block that is not whole
	Reason string
}

// Error says where.
func (e *CutError) Error() string {
	return fmt.Sprintf("at byte %d: %s; the job or its disk has ended early, or the file was damaged", e.Offset,
		e.Reason)
}

// VersionError reports a file of another version.
type VersionError struct{ Have uint32 }

// Error says what to do.
func (e *VersionError) Error() string {
	return fmt.Sprintf("the file has version %d, this program reads version %d: use the pvasrun that has recorded it",
		e.Have, version)
}

// blocks reads a file block by block.
type blocks struct {
	r      io.Reader
	offset int64
	meta   Meta
	buf    []byte
}

// block is a block whose sum is right. Its payload is valid until the next one.
type block struct {
	header
	payload []byte
	offset  int64
}

// newBlocks reads the description of a file.
func newBlocks(r io.Reader) (*blocks, error) {
	b := &blocks{r: bufio.NewReaderSize(r, 1<<20)}
	var head [fileHeader]byte
	if _, err := io.ReadFull(b.r, head[:]); err != nil || string(head[:8]) != Magic {
		return nil, errors.New("this is no trace: it does not begin with " + Magic +
			"; pvasrun --trace FILE records one")
	}
	if v := binary.LittleEndian.Uint32(head[8:]); v != version {
		return nil, &VersionError{v}
	}
	b.offset = fileHeader
	first, err := b.next()
	if err != nil {
		return nil, err
	}
	if first.kind != blockMeta {
		return nil, fmt.Errorf("block %d stands first, where the description of the job has to be", first.kind)
	}
	if b.meta, err = parseMeta(first.payload); err != nil {
		return nil, fmt.Errorf("description of the job: %w", err)
	}
	return b, nil
}

// next returns the next block. The error is a *CutError.
func (b *blocks) next() (block, error) {
	cut := func(reason string) (block, error) { return block{}, &CutError{b.offset, reason} }
	var head [blockHeader]byte
	if n, err := io.ReadFull(b.r, head[:]); err != nil {
		if n == 0 {
			return cut("the file ends without the block that says so")
		}
		return cut("the file ends in the head of a block")
	}
	h := parseHeader(head[:])
	if h.length > maxBlock {
		return cut(fmt.Sprintf("a block of %d bytes is longer than any", h.length))
	}
	if err := b.fill(int(h.length)); err != nil {
		return cut(fmt.Sprintf("the file ends within a block of %d bytes", h.length))
	}
	if h.checksum(b.buf) != h.sum {
		return cut("the sum of a block is wrong")
	}
	at := b.offset
	b.offset += blockHeader + int64(h.length)
	return block{h, b.buf, at}, nil
}

// fill reads n bytes. It grows its memory with what is there, so that a wrong length costs
// nothing.
func (b *blocks) fill(n int) error {
	const step = 1 << 20
	b.buf = b.buf[:0]
	for len(b.buf) < n {
		have, more := len(b.buf), min(n-len(b.buf), step)
		b.buf = append(b.buf, make([]byte, more)...)
		if _, err := io.ReadFull(b.r, b.buf[have:]); err != nil {
			return err
		}
	}
	return nil
}

// take adds a block to the trace.
func (t *Trace) take(b block, decoders []decoder) error {
	wrong := func(format string, args ...any) error {
		return &CutError{b.offset, fmt.Sprintf(format, args...)}
	}
	switch b.kind {
	case blockEvents:
		return t.takeEvents(b, decoders, wrong)
	case blockClock:
		if len(b.payload) != 16 {
			return wrong("a clock of %d bytes", len(b.payload))
		}
		if t.clocks[b.rank] == nil {
			t.clocks[b.rank] = &clock{}
		}
		t.clocks[b.rank].add(binary.LittleEndian.Uint64(b.payload), binary.LittleEndian.Uint64(b.payload[8:]))
	case blockEnd:
		e, err := parseEnd(b.payload)
		if err != nil {
			return wrong("%v", err)
		}
		t.End = &e
	}
	return nil
}

func (t *Trace) takeEvents(b block, decoders []decoder, wrong func(string, ...any) error) error {
	rank, lane := int(b.rank&(1<<laneShift-1)), int(b.rank>>laneShift)
	switch {
	case rank >= len(t.Ranks) || lane >= lanes:
		return wrong("events of lane %d of rank %d; there are %d ranks with %d lanes", lane, rank, len(t.Ranks), lanes)
	case len(b.payload)%RecordSize != 0:
		return wrong("events of %d bytes are no whole records", len(b.payload))
	case b.first != decoders[rank*lanes+lane].seen:
		return wrong("events of rank %d from number %d on, %d were expected", rank, b.first,
			decoders[rank*lanes+lane].seen)
	}
	d := &decoders[rank*lanes+lane]
	d.seen += uint64(len(b.payload) / RecordSize)
	d.all(b.payload)
	if t.file != nil {
		t.Ranks[rank].leave(d, lane, b)
	}
	return nil
}
