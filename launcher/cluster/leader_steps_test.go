package cluster

import (
	"io"
	"net/netip"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
	"github.com/gopvas/gopvas/launcher"
	"github.com/gopvas/gopvas/launcher/internal/part"
	"github.com/gopvas/gopvas/launcher/internal/streams"
	"github.com/gopvas/gopvas/launcher/internal/watch"
)

// A world that one node cannot know of is dropped on the others, and its ranks there have ended for all.
func TestWorldThatANodeDoesNotKnow(t *testing.T) {
	root := jobtest.Create(t, job.Config{Ranks: 2, Places: 4, BTL: job.BTLSM, CPUs: 2, Nodes: []int{0, 1}}).Root()
	l := &leader{io: streams.New(streams.Config{}),
		job: &launcher.Job{}, size: 2, node: []int{0, 1}, mirror: root,
		watch: watch.NewNodes(root, 2, time.Second, true), apps: make([]*launcher.App, 2)}
	l.worlds = []job.World{{Size: 2, Parent: -1}}
	l.openDesk([]netip.Addr{netip.IPv4Unspecified()})
	orders := [2]chan order{}
	for i := range orders {
		in, out := io.Pipe()
		nothing, end := io.Pipe()
		t.Cleanup(func() { in.Close(); end.Close() })
		l.agents = append(l.agents, &remote{l: l, number: i, name: "n", ranks: []int{i}, gone: map[int]bool{},
			alive: 1, link: newLink(nothing, out)})
		told := make(chan order, 100)
		orders[i] = told
		go func() {
			for from := newLink(in, io.Discard); ; {
				var o order
				if from.Receive(&o) != nil {
					return
				}
				told <- o
			}
		}()
	}
	knows, fails := l.agents[0], l.agents[1]
	late := &part.Late{World: job.World{Number: 1, First: 2, Size: 2, Parent: 0}, Commands: []job.Command{{N: 2}},
		Nodes: []int{0, 1}}
	l.spawning = &spawning{request: request{knows, &part.Request{}}, Start: part.Start{Late: late}}
	l.orderStep(part.Know)
	fails.stepDone(&part.LateDone{Step: part.Know, Err: "no room"})
	require.NotNil(t, l.spawning, "the other node has not answered")
	knows.stepDone(&part.LateDone{Step: part.Know})

	require.Equal(t, part.Know, (<-orders[0]).Late.Step)
	require.Equal(t, part.Drop, (<-orders[0]).Late.Step)
	require.Equal(t, []part.RankGone{{Rank: 3, State: job.StateFinal}}, (<-orders[0]).Gone)
	require.True(t, root.Gone(3))
	knows.ended(&part.RankEnd{Rank: 2, State: job.StateFinal}) // as the step tells of it
	require.True(t, root.Gone(2))
	require.NotNil(t, l.spawning)
	knows.stepDone(&part.LateDone{Step: part.Drop})
	require.Nil(t, l.spawning)
	require.Equal(t, 2, l.alive())
	require.Equal(t, 2, (<-orders[0]).Gone[0].Rank)
	_, err := job.Granted((<-orders[0]).Answer)
	require.ErrorContains(t, err, "node n: no room")

	require.Equal(t, part.Know, (<-orders[1]).Late.Step)
	require.Equal(t, 2, (<-orders[1]).Gone[0].Rank, "it has nothing to drop")
}

// An agent may have more to say when its part is over. The end does not wait until somebody listens to it.
func TestNotesAfterTheEnd(t *testing.T) {
	l := &leader{io: streams.New(streams.Config{}),
		job: &launcher.Job{}, events: make(chan func()), done: make(chan struct{})}
	from, notes := io.Pipe()
	orders, to := io.Pipe()
	go io.Copy(io.Discard, orders)
	a := &remote{l: l, name: "n", window: newWindow()}
	l.agents = []*remote{a}
	l.nodes.Timeout = time.Minute
	a.begin(from, to)
	go func() {
		_, _ = io.WriteString(notes, linkMagic+linkVersion)
		agent := newLink(orders, notes) // it receives nothing
		_ = agent.Send(note{Finished: &finished{}})
		_ = agent.Send(note{Asked: syscall.SIGTERM})
		notes.Close()
	}()
	for l.live() > 0 {
		l.next()
	}
	l.endAgents()
}

// The agents of one command come at a time: where one takes long, so may the next.
func TestPatienceWithTheNext(t *testing.T) {
	l := &leader{done: make(chan struct{})}
	defer close(l.done)
	l.beginPatience()
	defer l.patience.timer.Stop()
	require.Equal(t, startTime, l.patience.time)
	l.nextPatience()
	require.Equal(t, DefaultNodeTimeout, l.patience.time)
	l.patience.since = l.patience.since.Add(-time.Hour)
	l.nextPatience()
	require.GreaterOrEqual(t, l.patience.time, time.Hour)
}
