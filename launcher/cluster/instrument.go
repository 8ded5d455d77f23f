package cluster

import (
	"fmt"
	"io"
	"time"

	"github.com/gopvas/gopvas/internal/sys"
	"github.com/gopvas/gopvas/launcher"
)

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
	a.l.measure.pieces.Put(func() {
		a.l.nodes.Measured(p)
		a.link.post(order{TookData: len(p.Data)})
	})
}

// endMeasure returns when the user has all pieces.
func (l *leader) endMeasure() {
	l.measure.pieces.Flush()
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
func (a *agent) attach(j *launcher.Job, names []string) error {
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
	j.Started = func(p launcher.Processes) {
		a.link.post(note{Started: len(p.Ranks)})
		if started != nil {
			started(p)
		}
	}
	return nil
}

// askClocks begins a number of round trips with each agent, one after the other.
func (l *leader) askClocks() {
	for _, a := range l.agents {
		if !a.over && a.clock.rounds == 0 {
			a.clock.rounds = clockRounds
			a.askClock()
		}
	}
}

func (a *remote) askClock() {
	a.link.out.Put(func() { _ = a.link.send(order{Clock: sys.Monotonic()}) }) // an error shows in the other direction
}

// clockRead takes the answer of an agent.
func (a *remote) clockRead(t clockTime) {
	a.clock.add(t, a.l.measure.tick == nil)
	if a.clock.rounds--; a.clock.rounds > 0 {
		a.askClock()
	}
}

// awaitClocks waits until the clocks of all agents are known, or the job is over.
func (l *leader) awaitClocks() {
	for _, a := range l.agents {
		for !a.over && a.clock.rounds > 0 && !l.over() {
			l.next()
		}
	}
}
