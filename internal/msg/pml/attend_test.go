package pml_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/node/job"
)

// watched is a network whose watcher is the test.
type watched struct {
	btl.Messages
	look func() bool
}

func (m *watched) Capabilities() btl.Capabilities {
	return btl.Capabilities{Attend: func(look func() bool) { m.look = look }}
}

// operating is a task whose operator runs until the test ends it.
type operating struct{ runs, ends chan struct{} }

func (operating) Start() error          { return nil }
func (operating) Release()              {}
func (operating) Describe(*job.Waiting) {}

func (o operating) Progress() (bool, error) {
	close(o.runs)
	<-o.ends
	return true, nil
}

// TestAttendWhileAnOperatorRuns: who watches the network does not wait for an operator of the program, and is called
// when that has ended.
func TestAttendWhileAnOperatorRuns(t *testing.T) {
	w := newWorld(t, 2, 2, mem.Options{})
	e, network := w.engines[0], &watched{Messages: mem.New(w.root, mem.Options{}).Network(0)}
	e.AddPeers(network, func(rank int) bool { return rank == 1 })
	e.Attend()
	inbox := w.root.Inbox(0)
	inbox.Enlist(1)
	defer inbox.Enlist(-1)
	before := inbox.Count()

	o, ended, looked := operating{make(chan struct{}), make(chan struct{})}, make(chan error), make(chan bool, 1)
	go func() {
		r, err := e.Begin(o, 0)
		if err == nil {
			_, err = r.Wait()
		}
		ended <- err
	}()
	<-o.runs
	go func() { looked <- network.look() }()
	select {
	case waits := <-looked:
		require.True(t, waits, "the call may be about to wait")
	case <-time.After(time.Minute):
		require.Fail(t, "the look waits for the operator")
	}
	require.Equal(t, before, inbox.Count())
	close(o.ends)
	require.NoError(t, <-ended)
	require.NoError(t, inbox.Wait(func() bool { return inbox.Count() != before }))
	e.Progress() // takes the lock after who has called
	require.False(t, network.look(), "the rank computes")
}

var _ pml.Task = operating{}
