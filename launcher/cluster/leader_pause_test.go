package cluster

import (
	"io"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/launcher/internal/fate"
	"github.com/gopvas/gopvas/launcher/internal/streams"
)

// pausedLeader is a leader of two agents. Nobody reads from the link to the second one until the test does.
func pausedLeader(t *testing.T) (l *leader, stops *int, stuck *io.PipeReader) {
	stops = new(int)
	l = &leader{io: streams.New(streams.Config{}),
		events: make(chan func()), done: make(chan struct{}), stop: func() error { *stops++; return nil }}
	l.fate = fate.Fate{Effects: fate.Effects{Alive: l.alive, Signal: l.signal, Grace: l.endRanks, Say: l.io.Say}}
	t.Cleanup(func() { close(l.done) })
	for i := range 2 {
		in, out := io.Pipe()
		nothing, end := io.Pipe()
		t.Cleanup(func() { in.Close(); end.Close() })
		a := &remote{l: l, number: i, name: "n", window: newWindow(), stdin: out, link: newLink(nothing, out),
			stop: make(chan struct{})}
		l.agents = append(l.agents, a)
		if stuck = in; i == 0 {
			go func() { _, _ = io.Copy(io.Discard, in) }()
		}
	}
	l.agents[1].link.Post(order{Input: make([]byte, 1<<20)}) // before the pause: it fills the link
	return l, stops, stuck
}

// TestPauseBesideASlowNode: the leader serves events while it waits for a link that does not drain, and stops
// when the order is on its way.
func TestPauseBesideASlowNode(t *testing.T) {
	l, stops, stuck := pausedLeader(t)
	l.received(syscall.SIGTSTP) // returns
	l.received(syscall.SIGTSTP)
	l.received(syscall.SIGINT)
	require.Equal(t, 1, l.fate.Interrupts, "it hears Ctrl-C")
	(<-l.events)() // the first agent has been told
	require.Zero(t, *stops)
	orders := newLink(stuck, io.Discard)
	signals := make(chan syscall.Signal)
	go func() {
		defer close(signals)
		for {
			var o order
			if orders.Receive(&o) != nil {
				return
			}
			if o.Signal != 0 {
				signals <- o.Signal
			}
		}
	}()
	require.Equal(t, syscall.SIGTSTP, <-signals)
	(<-l.events)()
	require.Equal(t, 1, *stops)
	require.Equal(t, syscall.SIGINT, <-signals)
	require.Equal(t, syscall.SIGCONT, <-signals)
}

// TestPauseBesideALostNode: a node that is lost is not waited for.
func TestPauseBesideALostNode(t *testing.T) {
	l, stops, _ := pausedLeader(t)
	l.received(syscall.SIGTSTP)
	(<-l.events)()
	require.Zero(t, *stops)
	l.agents[1].finish()
	require.Equal(t, 1, *stops)
}

// TestContinuedBeforeThePause: a CONT ends a pause that has not begun.
func TestContinuedBeforeThePause(t *testing.T) {
	l, stops, _ := pausedLeader(t)
	l.received(syscall.SIGTSTP)
	l.received(syscall.SIGCONT)
	(<-l.events)()
	l.agents[1].finish()
	require.Zero(t, *stops)
}
