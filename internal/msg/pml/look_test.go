package pml_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/node/job"
)

// look asks a rank that waits, and returns its answer.
func (w *world) look(number uint32, rank int) job.Answer {
	w.root.Look(number, []int{rank})
	var a job.Answer
	require.Eventually(w, func() bool {
		a = w.root.Answered(rank)
		return a.Look == number
	}, time.Minute, time.Millisecond)
	return a
}

// A rank that waits answers looks, each with the same moves until something comes; also what it does not wait for.
func TestAnswers(t *testing.T) {
	inBoth(t, "answers", func(t *testing.T, start starter) {
		w := start(t, 4, 1, mem.Options{})
		done := make(chan error)
		go func() {
			_, err := w.engines[1].Recv(0, 3, 5, nil)
			done <- err
		}()
		w.asleep(1)
		first := w.look(1, 1)
		seen, _ := w.root.Waiting(1)
		second := w.look(2, 1)
		require.Equal(t, first.Moves, second.Moves)
		again, ok := w.root.Waiting(1)
		require.True(t, ok)
		require.Equal(t, seen.Since, again.Since)
		require.Greater(t, again.Seen, seen.Seen, "it has said anew what it waits for")
		require.NoError(t, w.engines[3].Send(0, 1, 6, []byte("other"), pml.Standard))
		third := w.look(3, 1)
		require.NotEqual(t, second.Moves, third.Moves)
		require.NoError(t, w.engines[3].Send(0, 1, 5, nil, pml.Standard))
		require.NoError(t, <-done)
		require.Equal(t, third, w.root.Answered(1), "it runs")
	})
}

// A report has a rank that waits say again what for, and where its call is. Its next wait does not say where until the
// next report, since that would allocate.
func TestPlaceOfAWait(t *testing.T) {
	w := newWorld(t, 2, 1, mem.Options{})
	done := make(chan error)
	for range 2 {
		go func() {
			_, err := w.engines[1].Recv(0, 0, 5, nil)
			done <- err
		}()
		first := w.asleep(1)
		require.Empty(t, first.Source)
		w.root.AskReport([]int{1})
		var again job.Waiting
		require.Eventually(t, func() bool {
			again, _ = w.root.Waiting(1)
			return again.Seen > first.Seen
		}, time.Minute, time.Millisecond)
		require.Regexp(t, `^look_test\.go:\d+ pml_test\.TestPlaceOfAWait\.func1$`, again.Source)
		require.Equal(t, first.Since, again.Since)
		require.NoError(t, w.engines[0].Send(0, 1, 5, nil, pml.Standard))
		require.NoError(t, <-done)
	}
}

// recorder is a job that notes whether a rank has written a record of its wait beside an answer.
type recorder struct {
	*job.Root
	beside atomic.Bool
}

func (r *recorder) SetWaiting(rank int, w job.Waiting) {
	if r.Answered(rank) != (job.Answer{}) {
		r.beside.Store(true)
	}
	r.Root.SetWaiting(rank, w)
}

// The record of a wait is never read together with an answer of the wait before: the answer is withdrawn first.
func TestAnswerOfTheWaitBefore(t *testing.T) {
	w := newWorld(t, 2, 1, mem.Options{})
	r := &recorder{Root: w.root}
	e := pml.New(r, 1, w.memory.Module(1))
	done := make(chan error, 2)
	go func() {
		for tag := range 2 {
			_, err := e.Recv(0, 0, tag, nil)
			done <- err
		}
	}()
	w.asleep(1)
	w.look(1, 1) // ends when the rank has answered
	require.NoError(t, w.engines[0].Send(0, 1, 0, nil, pml.Standard))
	require.NoError(t, <-done)
	require.Eventually(t, func() bool {
		say, ok := w.root.Waiting(1)
		return ok && say.Tag == 1
	}, time.Minute, time.Millisecond)
	require.NoError(t, w.engines[0].Send(0, 1, 1, nil, pml.Standard))
	require.NoError(t, <-done)
	require.False(t, r.beside.Load())
}

// What a wait for several operations, or one that may give up, says of itself.
func TestWaitsThatNobodyNamed(t *testing.T) {
	w := newWorld(t, 3, 1, mem.Options{})
	e := w.engines[1]
	a, err := e.Irecv(0, 0, 5, nil)
	require.NoError(t, err)
	b, err := e.Irecv(0, 2, 6, nil)
	require.NoError(t, err)
	done := make(chan error)
	go func() {
		_, err := pml.AwaitAny([]pml.Request{a, b})
		done <- err
	}()
	say := w.asleep(1)
	require.EqualValues(t, job.AnyPeer, say.Peer, "rank 0 is not the only one that can end it")
	require.ElementsMatch(t, []int{0, 2}, say.Collective.Ranks())
	view := w.root.Snapshot()[1]
	require.ElementsMatch(t, []int{0, 2}, view.For)
	require.True(t, view.Any)
	require.NoError(t, w.engines[2].Send(0, 1, 6, nil, pml.Standard))
	require.NoError(t, <-done)
	ctx, cancel := context.WithCancel(t.Context())
	e.Threads().One(func() {}) // which has no other goroutine
	go func() {
		_, err := a.WaitContext(ctx)
		done <- err
	}()
	require.True(t, w.asleep(1).Others)
	require.NoError(t, w.engines[0].Send(0, 1, 5, nil, pml.Standard))
	require.NoError(t, <-done)
	cancel()
}
