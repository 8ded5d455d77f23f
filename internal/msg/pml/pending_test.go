package pml_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/mpi/fault"
)

// newSurvivors is newWorld of a job that survives, with a circle of all ranks in context 0.
func newSurvivors(t *testing.T, ranks int) *world {
	memory := jobtest.Create(t, job.Config{Ranks: ranks, BTL: job.BTLSM, CPUs: 1,
		Settings: job.Settings{Spin: testkit.Spin, Survive: true}})
	w := &world{T: t, root: memory.Root(), memory: mem.New(memory.Root(), mem.Options{})}
	all := make([]int32, ranks)
	for rank := range all {
		all[rank] = int32(rank)
	}
	for rank := range ranks {
		e := pml.New(w.root, rank, w.memory.Module(rank))
		e.Among(0, all)
		w.engines = append(w.engines, e)
		w.root.SetState(rank, job.StateInit)
	}
	return w
}

// A receive from any source goes on when a rank fails. Each way to wait for it ends, whether the wait begins before or
// after, until the failure is acknowledged. Then a message of another rank completes the request.
func TestWaitsForPendingReceivesEnd(t *testing.T) {
	for name, wait := range map[string]func(rs []pml.Request) error{
		"wait": func(rs []pml.Request) error { _, err := rs[0].Wait(); return err },
		"wait with context": func(rs []pml.Request) error {
			_, err := rs[0].WaitContext(context.Background())
			return err
		},
		"wait any": func(rs []pml.Request) error { _, err := pml.AwaitAny(rs); return err },
		"wait all": func(rs []pml.Request) error {
			var w pml.Waits
			w.Begin(rs[0].Engine())
			defer w.End()
			_, err := w.Wait(&rs[0])
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newSurvivors(t, 3)
			e, buf := w.engines[0], []byte{0}
			r, err := e.Irecv(0, pml.AnySource, 1, buf)
			require.NoError(t, err)
			never, err := e.Irecv(0, 1, 2, nil)
			require.NoError(t, err)
			rs := []pml.Request{r, never}
			done := make(chan error)
			go func() { done <- wait(rs) }()
			w.asleep(0)
			w.root.MarkGone(2)
			require.ErrorAs(t, <-done, new(*fault.PendingError))
			require.ErrorAs(t, wait(rs), new(*fault.PendingError))
			_, isDone, err := rs[0].Test()
			require.ErrorAs(t, err, new(*fault.PendingError))
			require.False(t, isDone)
			require.ErrorAs(t, pml.Pending(rs), new(*fault.PendingError))
			_, err = e.Recv(0, pml.AnySource, 3, nil)
			wantLost(t, 2, err)
			require.NotErrorAs(t, err, new(*fault.PendingError))

			require.Equal(t, 1, e.Acknowledge(0, []int32{2}))
			require.NoError(t, pml.Pending(rs))
			go func() { done <- wait(rs) }()
			w.asleep(0)
			require.NoError(t, w.engines[1].Send(0, 0, 1, []byte{7}, pml.Standard))
			require.NoError(t, <-done)
			require.EqualValues(t, 7, buf[0])
		})
	}
}

// A complete request comes before one that is pending.
func TestCompleteBeforePending(t *testing.T) {
	w := newSurvivors(t, 3)
	e := w.engines[0]
	pending, err := e.Irecv(0, pml.AnySource, 1, nil)
	require.NoError(t, err)
	over, err := e.Irecv(0, 1, 2, nil)
	require.NoError(t, err)
	w.root.MarkGone(2)
	require.NoError(t, w.engines[1].Send(0, 0, 2, nil, pml.Standard))
	e.Progress()
	i, err := pml.AwaitAny([]pml.Request{pending, over})
	require.NoError(t, err)
	require.Equal(t, 1, i)
}

// Sends that wait for room at their receiver end when their communicator is revoked. Those of others do not.
func TestQueuedSendsOfRevoked(t *testing.T) {
	memory := jobtest.Create(t, job.Config{Ranks: 2, BTL: job.BTLSM, CPUs: 1, Settings: job.Settings{Survive: true}})
	w := mem.New(memory.Root(), mem.Options{Queue: 2, Offers: 2, Credit: 2})
	e := pml.New(memory.Root(), 0, w.Module(0))
	var revoked []uint32
	e.Revocations(func() []uint32 { return revoked })
	for range 10 {
		_, err := e.Isend(1, 1, 0, nil, pml.Standard)
		require.NoError(t, err)
	}
	ended, err := e.Isend(1, 1, 0, nil, pml.Synchronous)
	require.NoError(t, err)
	other, err := e.Isend(2, 1, 0, nil, pml.Synchronous)
	require.NoError(t, err)
	require.Positive(t, e.Stats().Queued)
	revoked = []uint32{1}
	job.Again(memory.Root(), 0)
	e.Progress()
	_, done, err := ended.Test()
	require.True(t, done)
	require.ErrorIs(t, err, pml.ErrRevoked)
	_, done, err = other.Test()
	require.NoError(t, err)
	require.False(t, done)
}
