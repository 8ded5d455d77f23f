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
	file   *os.File          // that has the events: see OpenOnDisk; nil: Ranks have them
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

	places []place // in the file, of its events: see OpenOnDisk
	count  int     // of them
}

// Context is a communicator in one of its uses.
type Context struct {
	Context uint32 // as in Event.Context
	Name    string // of the communicator
}

// Open reads a file to its end. The error wraps a *VersionError if it is of another version. Of a
// file that is cut off there is no error: see Trace.Cut.
func Open(path string) (*Trace, error) { return open(path, false) }

// open reads a file. If its events stay on disk, the trace has the file from then on.
func open(path string, onDisk bool) (t *Trace, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("trace: %w: name the file of pvasrun --trace FILE", err)
	}
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	defer func() {
		if !onDisk || err != nil {
			f.Close()
		}
	}()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("trace: read %s: it is a directory: name the file of pvasrun --trace FILE", path)
	}
	var own *os.File
	if onDisk {
		own = f
	}
	if t, err = read(f, own); err != nil {
		return nil, fmt.Errorf("trace: read %s: %w", path, err)
	}
	return t, nil
}

// Read reads a file to its end. If the file is cut off or damaged behind its description, the
// trace has what comes before, and Cut.
func Read(r io.Reader) (*Trace, error) { return read(r, nil) }

// read reads a file. If it is given as a file, too, events stay there.
func read(r io.Reader, file *os.File) (*Trace, error) {
	blocks, err := newBlocks(r)
	if err != nil {
		return nil, err
	}
	t := &Trace{Meta: blocks.meta, Ranks: make([]Rank, blocks.meta.Ranks), clocks: map[uint32]*clock{},
		file: file}
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

// settle turns the ticks of all events into times.
func (t *Trace) settle() {
	for rank := range t.Ranks {
		at := t.timesOf(rank)
		for _, events := range [][]Event{t.Ranks[rank].Events, t.Ranks[rank].Nodes} {
			for i := range events {
				events[i].Start, events[i].End = at(events[i].Start), at(events[i].End)
			}
		}
	}
}

// timesOf returns the function from ticks of a rank to times.
func (t *Trace) timesOf(rank int) func(int64) int64 {
	return t.clocks[uint32(t.Meta.node(rank))].reader(t.Meta.TickNS)
}

// duration returns the time of the last event of any rank.
func (t *Trace) duration() (last int64) {
	for rank := range t.Ranks {
		for e := range t.Events(rank) {
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
