package pml_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

func saysCollective() job.Waiting { return job.Waiting{Op: job.OpCollective} }

// Of several goroutines that wait for conditions and messages one sleeps for all, and each
// is told of what it waits for.
func TestOneSleepsForAllConditions(t *testing.T) {
	const waiters = 4
	w := newWorld(t, 2, 1, mem.Options{})
	e := w.engines[1]
	var flags [waiters]atomic.Bool
	var over [waiters]chan error
	received := make(chan error)
	for i := range flags {
		over[i] = make(chan error)
		c := e.NewCondition(flags[i].Load, saysCollective)
		go func() { over[i] <- c.Wait() }()
	}
	go func() {
		_, err := e.Recv(0, 0, 5, make([]byte, 8))
		received <- err
	}()
	require.Eventually(t, func() bool { return e.Stats().Parks >= waiters }, 20*time.Second, time.Millisecond)
	w.asleep(1)
	for _, i := range []int{2, 0, 3} { // in another order than they wait in
		flags[i].Store(true)
		w.root.Inbox(1).Notify()
		require.NoError(t, <-over[i])
	}
	require.NoError(t, w.engines[0].Send(0, 1, 5, make([]byte, 8), pml.Standard))
	require.NoError(t, <-received)
	flags[1].Store(true)
	w.root.Inbox(1).Notify()
	require.NoError(t, <-over[1])
	_, says := w.root.Waiting(1)
	require.False(t, says)
}

// Goroutines of all ranks meet at counters, each at its own, and exchange messages in between.
func TestMeetByConditions(t *testing.T) {
	const goroutines = 5
	meetings := max(200, testkit.Rounds(1000))
	everywhere(t, func(w *world) {
		ranks := len(w.engines)
		var arrived [goroutines]atomic.Int64
		w.run(func(e *pml.Engine, rank int) error {
			var all sync.WaitGroup
			for g := range goroutines {
				all.Go(func() {
					var target int64
					c := e.NewCondition(func() bool { return arrived[g].Load() >= target }, saysCollective)
					in, out := make([]byte, 1), make([]byte, 1)
					for n := range meetings {
						target = int64((n + 1) * ranks)
						arrived[g].Add(1)
						for peer := range ranks {
							w.root.Inbox(peer).Notify()
						}
						if !assert.NoError(w, c.Wait()) {
							return
						}
						if assert.GreaterOrEqual(w, arrived[g].Load(), target); n%8 == g {
							out[0] = byte(n)
							r, err := e.Irecv(uint32(g), (rank+ranks-1)%ranks, 0, in)
							assert.NoError(w, err)
							assert.NoError(w, e.Send(uint32(g), (rank+1)%ranks, 0, out, pml.Standard))
							_, err = r.Wait()
							assert.NoError(w, err)
							assert.Equal(w, out, in)
						}
					}
				})
			}
			all.Wait()
			return nil
		})
	})
}

var errBed = errors.New("no bed")

// sleepless is a module that cannot sleep.
type sleepless struct{ btl.Messages }

func (sleepless) Sleep(func() bool, func()) error { return errBed }

// Waits for conditions end with the error of the module.
func TestConditionsEndWithTheModule(t *testing.T) {
	w := newWorld(t, 1, 1, mem.Options{})
	e := pml.New(w.root, 0, sleepless{mem.New(w.root, mem.Options{}).Module(0)})
	never := func() bool { return false }
	var all sync.WaitGroup
	for range 3 {
		c := e.NewCondition(never, saysCollective)
		all.Go(func() {
			for range 2 {
				assert.ErrorIs(t, c.Wait(), errBed)
			}
		})
	}
	all.Wait()
}

// TestAnnouncedBehindServe: of the goroutines that are parked behind Serve one is announced, and another
// when its wait is over.
func TestAnnouncedBehindServe(t *testing.T) {
	w := newWorld(t, 2, 1, mem.Options{})
	e := w.engines[0]
	served := make(chan struct{})
	go func() { e.Serve(); close(served) }()
	received := make(chan error)
	for i := range 3 {
		go func() {
			_, err := e.Recv(0, 1, i, make([]byte, 8))
			received <- err
		}()
		require.Eventually(t, func() bool { return e.Stats().Parks > uint64(i) }, 20*time.Second, time.Millisecond)
	}
	for i := range 3 {
		require.Eventually(t, func() bool { return w.asleep(0).Tag == int32(i) }, 20*time.Second, time.Millisecond)
		require.NoError(t, w.engines[1].Send(0, 0, i, make([]byte, 8), pml.Standard))
		require.NoError(t, <-received)
	}
	_, says := w.root.Waiting(0)
	require.False(t, says)
	require.NoError(t, e.Close())
	<-served
}

// TestServeAfterWatch: who serves until the end takes the place of who serves as long as requests are watched.
func TestServeAfterWatch(t *testing.T) {
	w := newWorld(t, 2, 1, mem.Options{})
	e := w.engines[0]
	r, err := e.Irecv(0, 1, 9, make([]byte, 8))
	require.NoError(t, err)
	watched := r.Done()
	parked := func(tag int) { // a receive leaves progress to whoever serves
		before, received := e.Stats().Parks, make(chan error)
		go func() {
			_, err := e.Recv(0, 1, tag, make([]byte, 8))
			received <- err
		}()
		require.Eventually(t, func() bool { return e.Stats().Parks > before }, 20*time.Second, time.Millisecond)
		require.NoError(t, w.engines[1].Send(0, 0, tag, make([]byte, 8), pml.Standard))
		require.NoError(t, <-received)
	}
	parked(0)
	served := make(chan struct{})
	go func() { e.Serve(); close(served) }()
	parked(1)
	require.NoError(t, r.Cancel())
	<-watched
	_, err = r.Wait()
	require.NoError(t, err)
	parked(2)
	select {
	case <-served:
		t.Fatal("nobody serves")
	default:
	}
	require.NoError(t, e.Close())
	<-served
}
