package replay

import (
	"fmt"

	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/graph"
	"github.com/gopvas/gopvas/trace"
)

// Options say how a trace becomes a graph.
type Options struct {
	// Algorithms are those of collective calls that have no messages in the trace, by the
	// name of the operation, such as "allreduce": "allreduce-ring". Others have a default.
	Algorithms map[string]string

	// Expand has collective calls become algorithms also if their messages were recorded.
	Expand bool

	// Recording is taken off the time between calls, as far as it is known.
	Recording Recording

	// Operations are what collective calls take that were measured as a whole: those by an
	// algorithm, of a number of members. They count where each rank had a CPU.
	Operations []loggps.Operation
}

// Replay is the graph of a job.
type Replay struct {
	Graph *graph.Graph
	Sites []string // what graph.Op.Site means; [0] is nothing

	// Overlapping are the ranks with threads that could not be told apart: see thread.go.
	Overlapping []int
}

// Whole returns an error if a trace was cut off or lost events.
func Whole(t *trace.Trace) error {
	if lost := t.Lost(); lost > 0 {
		return fmt.Errorf("replay: %d events are missing in the trace, because the supervisor did not keep up: record "+
			"it to a faster disk, or with a CPU that no rank uses", lost)
	}
	if t.Cut != nil {
		return fmt.Errorf("replay: the trace is not whole: %w; a model needs the whole job: pvasrun trace info and "+
			"list show what comes before that", t.Cut)
	}
	return nil
}

// Fits returns an error if a trace has more sends and receives than a graph has operations. New would say so after a
// long time. What is between them takes operations, too: New may still find that they are too many.
func Fits(t *trace.Trace) error { return fits(t, graph.MaxOps) }

func fits(t *trace.Trace, most int) error {
	if t.End == nil || t.End.Events <= uint64(most) {
		return nil
	}
	ends := 0
	for rank := range t.Ranks {
		for e := range t.Events(rank) {
			_, sends := e.Sends(rank)
			_, receives := e.Receives(rank)
			if (sends || receives) && e.Flags&trace.Inside == 0 {
				ends++
			}
		}
	}
	if ends > most {
		return fmt.Errorf("replay: what is looked at has %d sends and receives, and a model takes %d operations at "+
			"most: look at a smaller part: pvasrun model show --from 1s --to 2s, or --ranks 0-3", ends, most)
	}
	return nil
}

// New makes the graph of a trace. It is an error if the trace is not whole, if an algorithm is unknown, or if the graph
// has a mistake. New does not change the trace.
func New(t *trace.Trace, o Options) (*Replay, error) {
	if err := Whole(t); err != nil {
		return nil, err
	}
	m := &maker{trace: t, options: o, builder: graph.NewBuilder(len(t.Ranks)), places: noPlaces()}
	m.recording, m.lengths = int64(t.Meta.GapNS), o.Recording.lengths()
	m.alone = !crowded(t)
	m.ready = Zero(t)
	m.groups, m.silent, m.ends = findGroups(t), findSilent(t), findEnds(t)
	m.measured = m.findMeasured()
	if err := m.algorithms(); err != nil {
		return nil, err
	}
	for rank := range t.Ranks {
		m.rank(rank)
	}
	g, err := m.builder.Graph()
	if err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	if err := Whole(t); err != nil { // its file may have changed
		return nil, err
	}
	return &Replay{Graph: g, Sites: m.names, Overlapping: m.overlapping}, nil
}

// maker makes a graph.
type maker struct {
	trace    *trace.Trace
	options  Options
	builder  *graph.Builder
	groups   groups
	silent   map[groupKey]bool // calls that become algorithms although some messages are recorded
	ends     ends
	alone    bool                   // each rank had a CPU of its own
	measured map[trace.Message]bool // messages of calls that were measured as a whole
	ready    int64                  // all ranks were through Init

	recording int64               // ns that recording adds to each gap between calls
	lengths   map[string]byLength // where it depends on the length of a message
	expand    map[trace.Kind]algorithm

	places

	overlapping []int // ranks with threads that could not be told apart
}

// crowded tells whether ranks shared CPUs.
func crowded(t *trace.Trace) bool { return len(t.Ranks) > t.Meta.CPUs*max(len(t.Meta.Hosts), 1) }

// places are those of calls in the program.
type places struct {
	numbers map[string]uint32
	names   []string // by number; [0] is nothing

	sites []string          // of the rank that was last
	known map[uint32]uint32 // the numbers of its calls, by kind and site
}

func noPlaces() places {
	return places{numbers: map[string]uint32{}, names: []string{""}, known: map[uint32]uint32{}}
}

// place returns the number of the place of a call.
func (p *places) place(r *trace.Rank, e *trace.Event) uint32 {
	if len(r.Sites) != len(p.sites) || len(r.Sites) > 0 && &r.Sites[0] != &p.sites[0] {
		clear(p.known)
		p.sites = r.Sites
	}
	k := uint32(e.Kind)<<16 | uint32(e.Site)
	n, ok := p.known[k]
	if !ok {
		n = p.named(r, e)
		p.known[k] = n
	}
	return n
}

// named returns the number of the name of a place.
func (p *places) named(r *trace.Rank, e *trace.Event) uint32 {
	name := e.Kind.String()
	if int(e.Site) < len(r.Sites) && e.Site > 0 {
		name += " at " + r.Sites[e.Site]
	}
	n, ok := p.numbers[name]
	if !ok {
		n = uint32(len(p.names))
		p.numbers[name] = n
		p.names = append(p.names, name)
	}
	return n
}
