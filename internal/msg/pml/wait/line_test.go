package wait

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
)

// rank is a line with its lock. Its owner sleeps on a channel.
type rank struct {
	Line[string]
	mu    sync.Mutex
	wakes int
}

func newRank() *rank {
	r := &rank{}
	r.Init(r.mu.Unlock, r.mu.Lock, func() { r.wakes++ })
	return r
}

// waits has a goroutine wait. The channel tells whether it became the owner of progress.
func (r *rank) waits(w *Waiter[string]) <-chan bool {
	owner := make(chan bool, 1)
	go func() {
		r.mu.Lock()
		owner <- r.BecomeOwner(w)
		r.mu.Unlock()
	}()
	synctest.Wait()
	return owner
}

// The first waiter owns progress. The others are parked until they are signalled, or the owner leaves: then the waiter
// that has been parked for the longest time is the owner.
func TestOwnerPasses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRank()
		a, b, c := r.New(nil, "a"), r.New(nil, "b"), r.New(nil, "c")
		require.True(t, <-r.waits(a))
		asB, asC := r.waits(b), r.waits(c)
		require.Empty(t, asB)
		require.Empty(t, asC)

		r.mu.Lock()
		r.Signal(c)
		r.mu.Unlock()
		require.False(t, <-asC, "its operation is complete")
		require.True(t, c.Done() && !c.Promoted())
		require.True(t, r.Yield, "the owner lets it run")

		r.mu.Lock()
		r.PassOwnership()
		r.mu.Unlock()
		require.True(t, <-asB, "nobody else may own progress")
		require.True(t, b.Promoted() && !b.Done())
		require.True(t, r.HasOwner())

		r.PassOwnership()
		require.False(t, r.HasOwner(), "nobody waits")
		parks, nudges := r.Counts()
		require.EqualValues(t, 2, parks)
		require.Zero(t, nudges)
	})
}

// An owner that sleeps is woken when it is signalled, and when somebody parks. It is not while it looks by itself.
func TestSleeperIsWoken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRank()
		a, b := r.New(nil, ""), r.New(nil, "")
		r.BecomeOwner(a)
		r.BeginSleep(a)
		require.True(t, r.Asleep(a))
		asB := r.waits(b)
		require.Equal(t, 1, r.wakes, "b may have left something behind")

		r.BeginLook()
		r.Signal(a)
		require.Equal(t, 1, r.wakes)
		require.True(t, r.EndLook(), "it was signalled while it looked")
		r.EndSleep()
		require.Nil(t, r.Reported())
		r.PassOwnership()
		require.True(t, <-asB)

		r.BeginSleep(b)
		r.Yield = false
		r.BeginLook()
		require.False(t, r.EndLook(), "b sleeps on")
		r.Signal(b)
		require.Equal(t, 2, r.wakes)
	})
}

// The report names the owner in its sleep. The server waits for nothing, so in its place the report names the waiter
// that is parked behind it.
func TestSpeaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRank()
		server, second, call := r.New(nil, ""), r.New(nil, ""), r.New(nil, "recv")
		require.Nil(t, r.Reported())
		require.True(t, r.Serve(server))
		require.False(t, r.Serve(second), "one serves at a time")
		r.BecomeOwner(server)
		r.BeginSleep(server)
		require.Nil(t, r.Reported())
		asCall := r.waits(call)
		require.Equal(t, call, r.Reported())
		require.Nil(t, r.ReportedBehindServer(), "the sleep may be short")
		r.SetLasting()
		require.Equal(t, call, r.ReportedBehindServer())

		r.StopServer()
		require.True(t, server.Done())
		r.EndSleep()
		r.PassOwnership()
		require.True(t, <-asCall)
		r.BeginSleep(call)
		require.Equal(t, call, r.Reported())
		require.False(t, r.Lasting(), "this is another sleep")
	})
}

// The owner asks all conditions, its own without the lock. One that is true already is no wait if there is an owner.
func TestConditions(t *testing.T) {
	r := newRank()
	here, there := false, false
	say := func() job.Waiting { return job.Waiting{} }
	a := &Condition[string]{Over: func() bool { return here }, Say: say}
	b := &Condition[string]{Over: func() bool { return there }, Say: say, Inside: true}
	a.Init()
	b.Init()
	w, v := r.AddCondition(a), r.AddCondition(b)
	r.BecomeOwner(w)
	r.BeginSleep(w)
	require.False(t, r.OwnConditionTrue())
	r.CheckConditions()
	require.False(t, w.Done() || v.Done())

	here = true
	require.True(t, r.OwnConditionTrue())
	r.CheckConditions()
	require.True(t, w.Done())
	require.False(t, v.Done())
	require.Nil(t, r.AddCondition(a), "it is true")

	there = true
	r.BeginSleep(v)
	require.False(t, r.OwnConditionTrue(), "it is asked under the lock alone")
	there = false
	failed := errors.New("the module is broken")
	r.FailConditions(failed)
	require.True(t, v.Done())
	require.Equal(t, failed, b.Err())
	require.NoError(t, a.Err())
	require.False(t, r.HasConditions())
}

// A waiter of the pool knows nothing of its last wait.
func TestWaitersAreUsedAgain(t *testing.T) {
	r := newRank()
	about := "a receive"
	w := r.New(&about, "wait")
	w.Any, w.Bounded = true, true
	r.Signal(w)
	r.Free(w)
	again := r.New(nil, "")
	require.Same(t, w, again)
	require.False(t, again.Done() || again.Any || again.Bounded || again.Promoted())
	require.Nil(t, again.About)
}
