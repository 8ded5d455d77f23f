package pml_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/mpi/fault"
)

// wantLost checks that the error names the rank.
func wantLost(t *testing.T, rank int, err error) {
	t.Helper()
	lost, ok := errors.AsType[*fault.LostError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, rank, lost.Rank)
}

// asleep waits until a rank has said that it waits.
func (w *world) asleep(rank int) job.Waiting {
	for {
		if say, ok := w.root.Waiting(rank); ok {
			return say
		}
		runtime.Gosched()
	}
}

// blocked are all ways to wait for rank 2, and for anybody.
var blocked = []struct {
	name string
	op   job.Op
	wait func(e *pml.Engine) error
}{
	{"recv", job.OpRecv, func(e *pml.Engine) error { _, err := e.Recv(0, 2, 5, nil); return err }},
	{"recv from any", job.OpRecv, func(e *pml.Engine) error { _, err := e.Recv(0, pml.AnySource, 5, nil); return err }},
	{"probe", job.OpProbe, func(e *pml.Engine) error { _, err := e.Probe(0, 2, 5); return err }},
	{"mprobe any", job.OpProbe, func(e *pml.Engine) error { _, _, err := e.Mprobe(0, pml.AnySource, 5); return err }},
	{"ssend", job.OpSend, func(e *pml.Engine) error { return e.Send(0, 2, 5, nil, pml.Synchronous) }},
	{"long send", job.OpSend, func(e *pml.Engine) error { return e.Send(0, 2, 5, make([]byte, 1<<20), pml.Standard) }},
	{"wait", job.OpRecv, func(e *pml.Engine) error {
		r, err := e.Irecv(0, 2, 5, nil)
		if err == nil {
			_, err = r.Wait()
		}
		return err
	}},
	{"wait with context", job.OpRecv, func(e *pml.Engine) error {
		r, err := e.Irecv(0, 2, 5, nil)
		if err == nil {
			_, err = r.WaitContext(context.Background())
		}
		return err
	}},
	{"wait any", job.OpWait, func(e *pml.Engine) error {
		a, err1 := e.Irecv(0, 2, 5, nil)
		b, err2 := e.Irecv(0, 2, 6, nil)
		rs := []pml.Request{{}, a, b}
		_, err3 := pml.AwaitAny(rs)
		if err3 == nil {
			_, err3 = rs[1].Wait()
		}
		_, err4 := rs[2].Wait()
		if err3 == nil || err4 == nil {
			return nil
		}
		return errors.Join(err1, err2, err3, err4)
	}},
}

// TestSleepersLearnOfADeath: whoever sleeps is told, says what for while it sleeps,
// and says so no more afterwards.
func TestSleepersLearnOfADeath(t *testing.T) {
	for _, b := range blocked {
		inBoth(t, b.name, func(t *testing.T, start starter) {
			w := start(t, 4, 1, mem.Options{})
			done := make(chan error)
			go func() { done <- b.wait(w.engines[1]) }()
			say := w.asleep(1)
			require.Equal(t, b.op, say.Op)
			require.Equal(t, strings.HasPrefix(b.name, "wait") && b.name != "wait any", say.Call == "wait")
			require.Contains(t, []int32{2, job.AnyPeer}, say.Peer)
			require.Contains(t, []int32{5, pml.AnyTag}, say.Tag)
			require.Positive(t, say.Since)
			w.leave(3) // one that ends well and has nothing to do with it
			w.root.MarkGone(2)
			wantLost(t, 2, <-done)
			_, ok := w.root.Waiting(1)
			require.False(t, ok)
			wantLost(t, 2, b.wait(w.engines[1])) // one that begins later
		})
	}
}

func TestParkedLearnOfADeath(t *testing.T) { inBoth(t, "parked", parkedLearnOfADeath) }

func parkedLearnOfADeath(t *testing.T, start starter) {
	w := start(t, 4, 1, mem.Options{})
	var wg sync.WaitGroup
	for _, b := range append(blocked, blocked...) {
		wg.Go(func() {
			if err := b.wait(w.engines[1]); err == nil {
				t.Errorf("%s: no error", b.name)
			}
		})
	}
	w.asleep(1)
	w.root.MarkGone(2)
	wg.Wait()
}

// TestMessagesOfTheDead: what a rank sent before it went is received, also if something
// that is late comes first; only then is it missed.
func TestMessagesOfTheDead(t *testing.T) {
	for delay := range 3 {
		inBoth(t, fmt.Sprintf("late by %d", delay), func(t *testing.T, start starter) {
			messagesOfTheDead(t, start, mem.Options{Delay: delay})
		})
	}
}

func messagesOfTheDead(t *testing.T, start starter, opts mem.Options) {
	for _, src := range []int{2, pml.AnySource} {
		w := start(t, 3, 1, opts)
		for i := range 20 {
			require.NoError(t, w.engines[2].Send(0, 1, 7, []byte{byte(i)}, pml.Standard))
		}
		w.root.MarkGone(2)
		e, buf := w.engines[1], make([]byte, 1)
		for i := range 20 {
			_, err := e.Recv(0, src, 7, buf)
			require.NoError(t, err)
			require.EqualValues(t, i, buf[0])
		}
		_, err := e.Recv(0, src, 7, buf)
		wantLost(t, 2, err)
		require.NoError(t, w.engines[0].Send(0, 1, 7, []byte{9}, pml.Standard))
		_, err = e.Recv(0, 0, 7, buf)
		require.NoError(t, err, "the living are not affected")
	}
}

// TestAnySourceOutlivesThoseWhoEndWell: a receive from anybody goes on when a rank has
// finalized, until nobody is left.
func TestAnySourceOutlivesThoseWhoEndWell(t *testing.T) { inBoth(t, "any", anySourceOutlives) }

func anySourceOutlives(t *testing.T, start starter) {
	w := start(t, 3, 1, mem.Options{})
	e := w.engines[0]
	r, err := e.Irecv(0, pml.AnySource, 1, nil)
	require.NoError(t, err)
	w.leave(2)
	_, done, err := r.Test()
	require.NoError(t, err)
	require.False(t, done)
	require.NoError(t, w.engines[1].Send(0, 0, 1, nil, pml.Standard))
	_, err = r.Wait()
	require.NoError(t, err)
	_, err = e.Recv(0, 2, 1, nil)
	wantLost(t, 2, err)
	wantLost(t, 2, e.Send(0, 2, 1, nil, pml.Standard))
	w.leave(1)
	_, err = e.Recv(0, pml.AnySource, 1, nil)
	wantLost(t, 1, err)
}

// TestQueuedSendsToTheDead: sends that never found room fail.
func TestQueuedSendsToTheDead(t *testing.T) {
	w := newWorld(t, 2, 1, mem.Options{Queue: 2, Credit: 1})
	e := w.engines[0]
	var rs []pml.Request
	for range 10 {
		r, err := e.Isend(0, 1, 1, []byte{1}, pml.Standard)
		require.NoError(t, err)
		rs = append(rs, r)
	}
	require.Positive(t, e.Stats().Queued)
	_, err := e.Irecv(0, 1, 1, nil) // nobody waits for it
	require.NoError(t, err)
	w.root.MarkGone(1)
	failed := 0
	for i := range rs {
		if _, err := rs[i].Wait(); err != nil {
			wantLost(t, 1, err)
			failed++
		}
	}
	require.Equal(t, 8, failed, "all but the one that was eager, and the one that ran ahead")
	require.NoError(t, e.Close())
}

func TestCloseReportsLeaks(t *testing.T) {
	w := newWorld(t, 1, 1, mem.Options{})
	e := w.engines[0]
	_, err := e.Irecv(0, 0, 9, make([]byte, 80))
	require.NoError(t, err)
	_, err = e.SendInit(0, 0, 1, btl.Buffer{}, pml.Standard)
	require.NoError(t, err)
	require.NoError(t, e.Send(0, 0, 3, nil, pml.Standard))
	_, _, err = e.Mprobe(0, 0, 3)
	require.NoError(t, err)
	blocked := make(chan error)
	go func() { _, err := e.Recv(0, 0, 4, nil); blocked <- err }()
	w.asleep(0)
	err = e.Close()
	leak, ok := errors.AsType[*fault.LeakError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, fault.LeakError{Requests: 3, Messages: 1, First: "receive of 80 bytes from rank 0, tag 9"}, *leak)
	require.ErrorIs(t, <-blocked, pml.ErrFinalized)
	require.ErrorIs(t, e.Close(), pml.ErrFinalized)
	require.ErrorIs(t, e.Send(0, 0, 0, nil, pml.Standard), pml.ErrFinalized)
	_, err = e.Recv(0, pml.AnySource, 0, nil)
	require.ErrorIs(t, err, pml.ErrFinalized)
	_, _, err = e.Iprobe(0, 0, 0)
	require.ErrorIs(t, err, pml.ErrFinalized)
}

func TestSecondWaiterIsTurnedAway(t *testing.T) {
	w := newWorld(t, 1, 1, mem.Options{})
	e := w.engines[0]
	r, err := e.Irecv(0, 0, 0, nil)
	require.NoError(t, err)
	copied, done := r, make(chan error)
	go func() { _, err := copied.Wait(); done <- err }()
	w.asleep(0)
	other := r
	_, err = r.Wait()
	require.ErrorIs(t, err, pml.ErrBusy)
	i, err := pml.AwaitAny([]pml.Request{{}, other})
	require.ErrorIs(t, err, pml.ErrBusy)
	require.Equal(t, 1, i)
	require.NoError(t, e.Send(0, 0, 0, nil, pml.Standard))
	require.NoError(t, <-done)
	_, err = r.Wait()
	require.NoError(t, err, "it stands for none now")
}

// TestContextsDoNotMix: the same source and tag in two contexts.
func TestContextsDoNotMix(t *testing.T) {
	w := newWorld(t, 2, 1, mem.Options{})
	for context := range uint32(3) {
		require.NoError(t, w.engines[0].Send(context<<30, 1, 0, []byte{byte(context)}, pml.Standard))
	}
	for _, context := range []uint32{1, 2, 0} {
		buf := make([]byte, 1)
		_, err := w.engines[1].Recv(context<<30, pml.AnySource, pml.AnyTag, buf)
		require.NoError(t, err)
		require.EqualValues(t, context, buf[0])
	}
}

// TestMoreThan4GiB sends five gigabytes of memory that nobody has touched into a
// buffer of sixteen bytes.
func TestMoreThan4GiB(t *testing.T) {
	const length = 5 << 30
	at, err := sys.Mmap(0, length, sys.ProtRead, sys.MapPrivate|sys.MapAnonymous|sys.MapNoReserve, -1, 0)
	require.NoError(t, err)
	defer func() { require.NoError(t, sys.Munmap(at, length)) }()
	for _, ranks := range []int{1, 2} { // to itself, and to a peer
		w := newWorld(t, ranks, 1, mem.Options{})
		to := w.engines[ranks-1]
		r, err := w.engines[0].Isend(0, ranks-1, 0, farBytes(at, length), pml.Standard)
		require.NoError(t, err)
		st, err := to.Probe(0, 0, 0)
		require.NoError(t, err)
		require.EqualValues(t, length, st.Bytes)
		st, err = to.Recv(0, 0, 0, make([]byte, 16))
		require.EqualError(t, err, fmt.Sprintf("message of %d bytes is truncated: the buffer has 16", length))
		require.EqualValues(t, 16, st.Bytes)
		_, err = r.Wait()
		require.NoError(t, err)
	}
}

// TestFloodIsBounded: what a rank holds of messages that nobody receives ends at the
// credit, and the senders' requests wait with their senders.
func TestFloodIsBounded(t *testing.T) {
	const credit, n = 8, 500
	w := newWorld(t, 2, 1, mem.Options{Credit: credit})
	e := w.engines[0]
	var rs []pml.Request
	for range n {
		r, err := e.Isend(0, 1, 1, make([]byte, 100), pml.Standard)
		require.NoError(t, err)
		rs = append(rs, r)
		_, _, err = w.engines[1].Iprobe(0, 0, 99)
		require.NoError(t, err)
	}
	s := e.Stats()
	require.EqualValues(t, credit, s.EagerSent)
	require.EqualValues(t, n-credit, s.OfferedSent)
	for range n {
		_, err := w.engines[1].Recv(0, 0, 1, make([]byte, 100))
		require.NoError(t, err)
	}
	for i := range rs {
		_, err := rs[i].Wait()
		require.NoError(t, err)
	}
	require.Equal(t, n, w.engines[1].Stats().UnexpectedHigh)
}

// TestDeathBesideAStoppedSender: a rank is stopped in the middle of sending a message, and another one dies. What
// waits for the dead rank ends, but for what it has sent behind that message.
func TestDeathBesideAStoppedSender(t *testing.T) {
	for _, sent := range []bool{false, true} {
		w := newWorld(t, 4, 1, mem.Options{})
		e := w.engines[1]
		resume := w.memory.Module(1).Stop(0, btl.Header{Tag: 9})
		if sent {
			require.NoError(t, w.engines[2].Send(0, 1, 7, nil, pml.Standard))
		}
		w.leave(3) // which has left nothing
		w.root.MarkGone(2)
		var waits [3]pml.Request
		for i, tag := range []int{7, 8, 9} {
			src := []int{2, 2, 0}[i]
			r, err := e.Irecv(0, src, tag, nil)
			require.NoError(t, err)
			waits[i] = r
		}
		anybody, err := e.Irecv(0, pml.AnySource, 6, nil)
		require.NoError(t, err)
		_, err = e.Recv(0, 3, 7, nil)
		wantLost(t, 3, err)
		if sent {
			for i := range waits {
				_, done, err := waits[i].Test()
				require.NoError(t, err)
				require.False(t, done, "it may come")
			}
			_, done, err := anybody.Test()
			require.NoError(t, err)
			require.False(t, done)
			resume()
			_, err = waits[0].Wait()
			require.NoError(t, err)
		} else {
			_, err = waits[0].Wait()
			wantLost(t, 2, err)
			wantLost(t, 2, e.Send(0, 2, 7, nil, pml.Standard))
		}
		_, err = waits[1].Wait()
		wantLost(t, 2, err)
		_, err = anybody.Wait()
		wantLost(t, 2, err)
		if !sent {
			_, done, err := waits[2].Test()
			require.NoError(t, err)
			require.False(t, done, "its sender lives")
			resume()
		}
		_, err = waits[2].Wait()
		require.NoError(t, err)
	}
}

// TestLooksForTheDeadAreFew: as long as nothing comes, a rank that polls does not look through its queue again.
func TestLooksForTheDeadAreFew(t *testing.T) {
	w := newWorld(t, 3, 1, mem.Options{})
	m := &counting{Module: w.memory.Module(1)}
	e := pml.New(w.root, 1, m)
	resume := m.Stop(0, btl.Header{Tag: 9})
	require.NoError(t, w.engines[2].Send(0, 1, 7, nil, pml.Standard))
	w.root.MarkGone(2)
	r, err := e.Irecv(0, 2, 8, nil)
	require.NoError(t, err)
	for range 100 {
		_, done, err := r.Test()
		require.NoError(t, err)
		require.False(t, done)
	}
	require.Equal(t, 1, m.looks)
	resume()
	_, err = r.Wait()
	wantLost(t, 2, err)
	require.Equal(t, 2, m.looks)
}

// counting counts the looks for senders.
type counting struct {
	*mem.Module
	looks int
}

func (c *counting) Senders(f func(int)) {
	c.looks++
	c.Module.Senders(f)
}

// A rank may read memory of one that has gone as long as a message of that is offered, or a matched probe has one, or a
// task is underway.
func TestTouches(t *testing.T) {
	w := newWorld(t, 3, 1, mem.Options{})
	e, gone := w.engines[0], []int{2}
	require.True(t, e.Touches(gone), "it is not dead")
	_, err := w.engines[2].Isend(0, 0, 5, make([]byte, 1<<20), pml.Standard)
	require.NoError(t, err)
	w.root.MarkGone(2)
	require.True(t, e.Touches(gone), "it has sent a message")
	require.False(t, e.Touches(nil))
	require.False(t, w.engines[1].Touches(gone))
	m, _, err := e.Mprobe(0, 2, 5)
	require.NoError(t, err)
	require.True(t, e.Touches(gone), "a probe has it")
	r, err := e.Imrecv(&m, btl.Buffer{Bytes: make([]byte, 1<<20)})
	require.NoError(t, err)
	_, _ = r.Wait() // an error: its sender has gone
	require.False(t, e.Touches(gone))

	task := &stuck{}
	r, err = e.Begin(task, 0)
	require.NoError(t, err)
	require.True(t, e.Touches(gone), "a task is underway")
	task.done = true
	_, err = r.Wait()
	require.NoError(t, err)
	require.False(t, e.Touches(gone))
}

// stuck is a task that is done when it is said to be.
type stuck struct{ done bool }

func (s *stuck) Start() error            { return nil }
func (s *stuck) Release()                {}
func (s *stuck) Progress() (bool, error) { return s.done, nil }
func (s *stuck) Describe(*job.Waiting)   {}
