package trace

import (
	"bytes"
	"iter"
	"slices"
)

// place is where a block with events stands in the file.
type place struct {
	offset int64
	length uint32 // of its payload
}

// OpenOnDisk reads a file as Open does, but keeps no event: Trace.Events and Trace.Rank read those of a rank from the
// file, until Close. Nodes are left out. If the file changes meanwhile, what is read from there on is missing: see
// Trace.Cut.
func OpenOnDisk(path string) (*Trace, error) { return open(path, true) }

// Close lets go the file of a trace that was opened on disk.
func (t *Trace) Close() error {
	if t.file == nil {
		return nil
	}
	return t.file.Close()
}

// Rank returns what a rank has recorded, with its events. Of a trace on disk it reads them each time.
func (t *Trace) Rank(rank int) *Rank {
	if t.file == nil {
		return &t.Ranks[rank]
	}
	r := t.Ranks[rank]
	r.Events = make([]Event, 0, r.count)
	for e := range t.Events(rank) {
		r.Events = append(r.Events, *e)
	}
	return &r
}

// Events returns the events of a rank, in order. The caller must not change them. Of a trace on disk, which it
// reads, one is valid until the next.
func (t *Trace) Events(rank int) iter.Seq[*Event] {
	return func(yield func(*Event) bool) {
		if t.file == nil {
			each(t.Ranks[rank].Events, yield)
			return
		}
		at, r := t.timesOf(rank), rereader{of: t, me: rank}
		r.decoder = decoder{rank: &r.now, events: &r.now.Events}
		for _, p := range t.Ranks[rank].places {
			events, ok := r.block(p)
			for i := range events {
				events[i].Start, events[i].End = at(events[i].Start), at(events[i].End)
			}
			if !each(events, yield) || !ok {
				return
			}
		}
	}
}

func each(events []Event, yield func(*Event) bool) bool {
	for i := range events {
		if !yield(&events[i]) {
			return false
		}
	}
	return true
}

// rereader reads the events of a rank once more.
type rereader struct {
	decoder
	of     *Trace
	me     int
	now    Rank // has the events of the block
	blocks blocks
	buf    []byte
}

// block reads the events of a block. Times are ticks. ok is false if it is another block now.
func (a *rereader) block(p place) (events []Event, ok bool) {
	a.buf = slices.Grow(a.buf[:0], blockHeader+int(p.length))[:blockHeader+p.length]
	n, _ := a.of.file.ReadAt(a.buf, p.offset)
	a.blocks.r, a.blocks.offset = bytes.NewReader(a.buf[:n]), p.offset
	b, err := a.blocks.next()
	if err != nil || b.kind != blockEvents || b.rank != uint32(a.me) || b.first != a.seen {
		if a.of.Cut == nil {
			a.of.Cut = &CutError{p.offset, "the file has changed while it was read"}
		}
		return nil, false
	}
	a.seen += uint64(p.length / RecordSize)
	a.now.Events = a.now.Events[:0]
	a.all(b.payload)
	return a.now.Events, true
}

// leave keeps where the events of a lane are that d has made of a block, and not the events. Nodes it does not keep.
func (r *Rank) leave(d *decoder, lane int, b block) {
	n := len(*d.events)
	*d.events = (*d.events)[:0]
	if lane > 0 {
		return
	}
	r.count += n
	r.places = append(r.places, place{b.offset, b.length})
}
