package trace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Trace is what a job has recorded.
type Trace struct {
	Meta  Meta
	Ranks []Rank
	End   *End // nil: the file was cut off

	// Cut says why the end of the file is missing; nil: it is not. What is here is all that
	// came before.
	Cut error

	clocks map[uint32]*clock // by node
	packed bool
}

// Rank is what one rank has recorded.
type Rank struct {
	Events   []Event
	Nodes    []Event   // nodes of graphs, its own and others', that the rank has executed
	Lost     uint64    // events that are missing, because the rank's buffer was full
	Contexts []Context // of its events; [0] is nothing
	Sites    []string  // file and line, by Event.Site; [0] is nothing

	// Code says of sites that are not in Go what they are; Sites has the file's name and the offset.
	Code map[int]Code

	packed [][]byte // records that are not yet events: see OpenPacked
	count  int      // of them
}

// Context is a communicator in one of its uses.
type Context struct {
	Context uint32 // as in Event.Context
	Name    string // of the communicator
}

// OpenPacked reads a file as Open does, but leaves the events of ranks in the 32 bytes each that they have in the file:
// Trace.Rank makes events of them. Nodes are left out.
func OpenPacked(path string) (*Trace, error) {
	return open(path, func(r io.Reader) (*Trace, error) { return read(r, true) })
}

// Open reads a file to its end. The error wraps a *VersionError if it is of another version. Of a
// file that is cut off there is no error: see Trace.Cut.
func Open(path string) (*Trace, error) { return open(path, Read) }

func open(path string, read func(io.Reader) (*Trace, error)) (*Trace, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("trace: %w: name the file of pvasrun --trace FILE", err)
	}
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("trace: read %s: it is a directory: name the file of pvasrun --trace FILE", path)
	}
	t, err := read(f)
	if err != nil {
		return nil, fmt.Errorf("trace: read %s: %w", path, err)
	}
	return t, nil
}

// Read reads a file to its end. If the file is cut off or damaged behind its description, the
// trace has what comes before, and Cut.
func Read(r io.Reader) (*Trace, error) { return read(r, false) }

func read(r io.Reader, packed bool) (*Trace, error) {
	blocks, err := newBlocks(r)
	if err != nil {
		return nil, err
	}
	t := &Trace{Meta: blocks.meta, Ranks: make([]Rank, blocks.meta.Ranks), clocks: map[uint32]*clock{},
		packed: packed}
	decoders := make([]decoder, len(t.Ranks)*lanes)
	for i := range decoders {
		r := &t.Ranks[i/lanes]
		decoders[i] = decoder{rank: r, events: []*[]Event{&r.Events, &r.Nodes}[i%lanes]}
	}
	for t.End == nil && t.Cut == nil {
		b, err := blocks.next()
		if err == nil {
			err = t.take(b, decoders)
		}
		t.Cut = err
	}
	t.settle()
	return t, nil
}

// Rank returns what a rank has recorded, with its events. Of a trace that is packed it makes them anew each time, and
// keeps none.
func (t *Trace) Rank(rank int) *Rank {
	if !t.packed {
		return &t.Ranks[rank]
	}
	r := t.Ranks[rank]
	own := Rank{Events: make([]Event, 0, r.count)}
	d := decoder{rank: &own, events: &own.Events}
	for _, records := range r.packed {
		d.all(records)
	}
	at := t.clocks[uint32(t.Meta.node(rank))].reader(t.Meta.TickNS)
	for i := range own.Events {
		e := &own.Events[i]
		e.Start, e.End = at(e.Start), at(e.End)
	}
	r.Events = own.Events
	return &r
}

// pack keeps records of a lane, whose names d has taken note of. Nodes are not kept.
func (r *Rank) pack(d *decoder, lane int, records []byte) {
	n := len(*d.events)
	*d.events = (*d.events)[:0]
	if lane > 0 {
		return
	}
	r.count += n
	if n := len(r.packed) - 1; n >= 0 && cap(r.packed[n])-len(r.packed[n]) >= len(records) {
		r.packed[n] = append(r.packed[n], records...)
		return
	}
	r.packed = append(r.packed, append(make([]byte, 0, max(len(records), leastPacked)), records...))
}

// leastPacked bytes are room for records of many small blocks.
const leastPacked = 16 << 10

// settle turns the ticks of all events into times.
func (t *Trace) settle() {
	for rank := range t.Ranks {
		node := t.clocks[uint32(t.Meta.node(rank))]
		at := node.reader(t.Meta.TickNS)
		for _, events := range [][]Event{t.Ranks[rank].Events, t.Ranks[rank].Nodes} {
			for i := range events {
				events[i].Start, events[i].End = at(events[i].Start), at(events[i].End)
			}
		}
	}
}

// duration returns the time of the last event of any rank.
func (t *Trace) duration() (last int64) {
	for rank := range t.Ranks {
		for _, e := range t.Rank(rank).Events {
			last = max(last, e.End)
		}
	}
	return last
}

// Lost returns how many events are missing: those that ranks have not recorded, and those that were
// recorded and are not in the file.
func (t *Trace) Lost() (n uint64) {
	if t.End != nil {
		n = t.End.Lost
	}
	for rank := range t.Ranks {
		n += t.Ranks[rank].Lost
	}
	return n
}
