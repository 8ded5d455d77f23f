package pml

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
	"github.com/gopvas/gopvas/shm"
)

// watched is a network in which the rank parks, and that somebody watches.
type watched struct {
	btl.Messages
	watched chan func() bool
}

func (m watched) Capabilities() btl.Capabilities {
	park := func(e *shm.Event, count uint32, _ time.Duration) (bool, error) { return true, e.Follow(count) }
	return btl.Capabilities{
		SetWaiter: func(w *shm.Waiter) { w.ParkIn(park) }, Attend: func(look func() bool) { m.watched <- look },
	}
}

// For the race detector: other goroutines wait, look how long they may, and have modules attend, while visitors are
// added.
func TestVisitorsWhileOthersWait(t *testing.T) {
	root := jobtest.Create(t, job.Config{Ranks: 1, Places: 4, BTL: job.BTLSM, CPUs: 8}).Root()
	e := New(root, 0, mem.New(root, mem.Options{}).Module(0))
	var others sync.WaitGroup
	var added atomic.Bool
	over := e.NewCondition(added.Load, func() job.Waiting { return job.Waiting{} })
	began, ended := make(chan struct{}), make(chan error, 1)
	others.Go(func() {
		close(began)
		for !added.Load() {
			e.Waiter().Look(added.Load)
			e.Attend()
		}
	})
	others.Go(func() { ended <- over.Wait() })
	<-began
	network := watched{mem.New(root, mem.Options{}).Network(0), make(chan func() bool, 2)}
	e.AddVisitors(network)
	added.Store(true)
	root.Inbox(0).Signal()
	others.Wait()
	e.Attend()
	require.NoError(t, <-ended)
	require.NotNil(t, <-network.watched)
}
