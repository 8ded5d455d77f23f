package cluster

import (
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/launcher"
	"github.com/gopvas/gopvas/launcher/internal/fate"
	"github.com/gopvas/gopvas/launcher/internal/part"
	"github.com/gopvas/gopvas/launcher/internal/streams"
)

// A node ends its ranks in its own time, which signs of life count. It has more whenever it says that it still waits.
func TestKilledRanksHaveTheNodesTime(t *testing.T) {
	l := &leader{io: streams.New(streams.Config{}),
		job: &launcher.Job{}, events: make(chan func()), done: make(chan struct{})}
	l.nodes.Timeout = DefaultNodeTimeout
	l.fate = fate.Fate{Effects: fate.Effects{Alive: l.alive, Signal: l.signal, Grace: l.endRanks, Say: l.io.Say}}
	t.Cleanup(func() { close(l.done) })
	from, notes := io.Pipe()
	orders, to := io.Pipe()
	t.Cleanup(func() { notes.Close() })
	go io.Copy(io.Discard, orders)
	a := &remote{l: l, name: "n", ranks: []int{0}, window: newWindow(), ready: &ready{}}
	l.agents = []*remote{a}
	a.begin(from, to)
	agent := newLink(orders, notes) // it receives nothing
	_, err := io.WriteString(notes, linkMagic+linkVersion)
	require.NoError(t, err)
	says := func(beats int, n part.Note) {
		go func() {
			for range beats {
				_ = agent.Send(note{Beat: true})
			}
			_ = agent.Send(note{Note: n})
		}()
		(<-l.events)()
		l.loseUnended()
	}
	l.fate.Kill(fate.CodeError)
	l.awaitKilled()
	inTime := int((fate.KillTime + time.Second) / beatEvery(DefaultNodeTimeout))
	waits := part.Note{Waiting: &part.Waits{Ranks: 1}}
	says(0, waits) // a node that has no CPU does not wait in vain, however long this one waits
	says(inTime, waits)
	require.NoError(t, a.lost)
	says(0, part.Note{Killed: true})
	says(inTime, waits)
	require.NoError(t, a.lost)
	says(2, waits)
	require.EqualError(t, a.lost, "it does not end its ranks")
}
