package launcher

import (
	"fmt"
	"io"
	"time"

	"github.com/gopvas/gopvas/internal/sys"
)

// An Instrument watches the ranks of one node in a job on several. It completes the description
// of the node's part of the job, which has not begun. Its output gets to the leader, in order:
// see Nodes.Measured. end, if not nil, is called when the part has ended, and may still write.
type Instrument func(j *Job, to io.Writer) (end func(), err error)

// A Piece is a part of the output of an instrument on a node.
type Piece struct {
	Node       int // number
	Instrument string
	Data       []byte
	// Ahead is by how much the node's monotonic clock is ahead of the leader's, as is known by now.
	Ahead time.Duration
}

// A NodeInfo describes a node before its ranks start.
type NodeInfo struct {
	Name string
	// ClockError is how far Piece.Ahead may be off.
	ClockError time.Duration
}

// measure is the state of a leader whose agents have instruments.
type measure struct {
	pieces queue // to Nodes.Measured
	tick   <-chan time.Time
	stop   func()
}

// startMeasure aligns the clocks, and tells the user of the nodes.
func (l *leader) startMeasure() error {
	if l.nodes.Instruments == nil {
		return nil
	}
	l.askClocks()
	l.awaitClocks()
	if l.over() {
		return nil
	}
	ticker := time.NewTicker(clockPeriod)
	l.measure.tick, l.measure.stop = ticker.C, ticker.Stop
	info, ranks := make([]NodeInfo, len(l.agents)), make([]int, l.size)
	for _, a := range l.agents {
		info[a.number] = NodeInfo{a.name, a.clock.uncertainty()}
	}
	copy(ranks, l.node)
	return l.nodes.Measuring(info, ranks, time.Duration(sys.Monotonic()))
}

// measured hands a piece of a node to the user. Only the node's instrument waits for the user.
func (a *remote) measured(n *note) {
	p := Piece{Node: a.number, Instrument: n.Instrument, Data: n.Data, Ahead: a.clock.ahead}
	a.l.measure.pieces.put(func() {
		a.l.nodes.Measured(p)
		a.link.post(order{TookData: len(p.Data)})
	})
}

// endMeasure returns when the user has all pieces.
func (l *leader) endMeasure() {
	l.measure.pieces.flush()
	if l.measure.stop != nil {
		l.measure.stop()
	}
}

// instrumentWriter sends the leader the output of an instrument.
type instrumentWriter struct {
	a    *agent
	name string
}

// Write implements io.Writer. It waits while the leader has too much to take.
func (w *instrumentWriter) Write(b []byte) (int, error) {
	for done := 0; done < len(b); {
		part := b[done:min(len(b), done+flowWindow/2)]
		if !w.a.data.take(len(part)) {
			return done, io.ErrClosedPipe
		}
		if err := w.a.link.send(note{Instrument: w.name, Data: part}); err != nil {
			return done, err
		}
		done += len(part)
	}
	return len(b), nil
}

// attach attaches the instruments that the leader asks for.
func (a *agent) attach(j *Job, names []string) error {
	for _, name := range names {
		instrument := a.instruments[name]
		if instrument == nil {
			return fmt.Errorf("launcher: instrument %s: there is none", name)
		}
		end, err := instrument(j, &instrumentWriter{a, name})
		if err != nil {
			return err
		}
		if end != nil {
			a.ends = append(a.ends, end)
		}
	}
	started := j.Started
	j.Started = func(p Processes) {
		a.link.post(note{Started: len(p.Ranks)})
		if started != nil {
			started(p)
		}
	}
	return nil
}
