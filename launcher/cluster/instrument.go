package cluster

import (
	"fmt"
	"io"
	"time"

	"github.com/gopvas/gopvas/internal/node/sys"
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
		a.link.Post(order{TookData: len(p.Data)})
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
		if err := w.a.link.Send(note{Instrument: w.name, Data: part}); err != nil {
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
		a.link.Post(note{Started: true})
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
	a.link.Put(func() { _ = a.link.Send(order{Clock: sys.Monotonic()}) }) // an error shows in the other direction
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

// The clocks of the nodes. The leader begins a round trip on the link of an agent at its time
// "begin". The agent reads its own clock at "there". The answer is back at the leader's time "end".
// The agent's clock is ahead by no more than there - begin, and by no less than there - end. All
// these bounds hold together as long as both clocks have the same speed. Crystals differ by some
// ten parts in a million. So the estimate begins as the middle of the bounds that the round trips
// before the start have in common. Later it moves as far as a new round trip demands, and no further.
const (
	clockRounds = 20          // round trips before the start, and in each later period
	clockPeriod = time.Second // in which an uncertainty of 0.1 ms outlasts any drift
)

// add takes a round trip.
func (c *nodeClock) add(t clockTime, starting bool) {
	low, high := time.Duration(t.There-t.end), time.Duration(t.There-t.Begin)
	switch {
	case !c.known:
		c.low, c.high, c.known = low, high, true
	case starting && low <= c.high && high >= c.low:
		c.low, c.high = max(c.low, low), min(c.high, high)
	}
	if starting {
		c.ahead = c.low + (c.high-c.low)/2
	}
	c.ahead = min(max(c.ahead, low), high)
}

// uncertainty is how far the estimate may be off.
func (c *nodeClock) uncertainty() time.Duration { return (c.high - c.low + 1) / 2 }
