package pml_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/btl/mem"
	"github.com/gopvas/gopvas/internal/pml"
	"github.com/gopvas/gopvas/internal/testkit"
)

// The short ways and the others, in any mixture, bring the same messages in the same order.
func TestShortWays(t *testing.T) {
	const messages = 20_000
	seed := testkit.Seed(t)
	w := newWorld(t, 2, 2, mem.Options{Inline: 16, EagerLimit: 64})
	over := make(chan int)
	go func() {
		e, random := w.engines[0], rand.New(rand.NewPCG(seed, 0))
		e.OneThread()
		short := 0
		for i := range messages {
			if random.IntN(4) > 0 && e.SendShort(5, 1, i%3, content(i)) {
				short++
			} else if err := e.Send(5, 1, i%3, content(i), pml.Standard); err != nil {
				t.Error(err)
			}
		}
		over <- short
	}()
	e, random := w.engines[1], rand.New(rand.NewPCG(seed, 1))
	e.OneThread()
	received, posted := 0, 0
	for i := 0; i < messages; {
		switch random.IntN(3) {
		case 0:
			n := min(1+random.IntN(8), messages-i)
			posted += receiveSome(t, e, i, n)
			i += n
			continue
		case 1:
			tag, buf := i%3, make([]byte, 100)
			if random.IntN(2) == 0 {
				tag = pml.AnyTag
			}
			if n, got, ok := e.RecvShort(5, 0, tag, buf); ok {
				require.Equal(t, i%3, got)
				require.Equal(t, content(i), buf[:n])
				received++
				i++
				continue
			}
		}
		buf := make([]byte, 100)
		st, err := e.Recv(5, 0, i%3, buf)
		require.NoError(t, err)
		require.Equal(t, content(i), buf[:st.Bytes])
		i++
	}
	sent := <-over
	t.Logf("short: %d sent, %d received, %d posted", sent, received, posted)
	require.Positive(t, sent)
	require.Positive(t, received)
	require.Positive(t, posted)
	require.True(t, e.Idle(5))
}

// content is message i: some of them are too long for the short way.
func content(i int) []byte {
	p := make([]byte, i*7%23)
	for k := range p {
		p[k] = byte(i + k)
	}
	return p
}

// receiveSome posts receives of n messages from i on, some of them the short way, and waits for them. It
// returns how many were posted that way.
func receiveSome(t *testing.T, e *pml.Engine, i, n int) (short int) {
	owner := any(t)
	bufs, ops, requests := make([][]byte, n), make([]*pml.Op, n), make([]pml.Request, n)
	for k := range n {
		bufs[k] = make([]byte, 100)
		if ops[k] = e.PostShort(5, 0, (i+k)%3, bufs[k], 1<<20); ops[k] != nil {
			ops[k].SetOwner(uintptr(k+1), &owner, 8)
			short++
			continue
		}
		var err error
		requests[k], err = e.Irecv(5, 0, (i+k)%3, bufs[k])
		require.NoError(t, err)
	}
	waits := e.BeginWaits()
	defer waits.End()
	for k := range n {
		var st pml.Status
		if op := ops[k]; op != nil {
			handle := uintptr(k + 1)
			require.Same(t, op, waits.Messages().Message(op.Place(), handle))
			require.True(t, waits.Over(op, handle))
			require.EqualValues(t, 8, op.Unit())
			st = *op.Status()
			waits.Drop(op)
			require.Nil(t, waits.Messages().Message(op.Place(), handle))
		} else {
			var err error
			st, err = waits.Wait(&requests[k])
			require.NoError(t, err)
		}
		require.Equal(t, (i+k)%3, st.Tag)
		require.Equal(t, content(i+k), bufs[k][:st.Bytes])
	}
	return short
}

// There is no short way where another would have to know of the message, or something is wrong.
func TestNoShortWay(t *testing.T) {
	w := newWorld(t, 2, 2, mem.Options{})
	e, other := w.engines[0], w.engines[1]
	buf := make([]byte, 8)
	require.False(t, e.SendShort(5, 1, 0, buf), "several threads")
	e.OneThread()
	other.OneThread()
	require.False(t, e.SendShort(5, 2, 0, buf), "no such rank")
	require.False(t, e.SendShort(5, -1, 0, buf), "no such rank")
	require.False(t, e.SendShort(5, 0, 0, buf), "to itself")
	require.False(t, e.SendShort(5, 1, -1, buf), "no such tag")
	require.True(t, e.SendShort(5, 1, 0, buf))
	require.True(t, e.SendShort(6, 1, 0, buf))
	refuse := func(context uint32, src, tag, room int) {
		t.Helper()
		_, _, ok := other.RecvShort(context, src, tag, buf[:room])
		require.False(t, ok)
	}
	refuse(6, 0, 0, 8) // another is before it
	refuse(5, 0, 1, 8)
	refuse(5, 1, 0, 8)
	refuse(5, pml.AnySource, 0, 8)
	refuse(5, 0, 0, 7)
	r, err := other.Irecv(5, pml.AnySource, 0, buf)
	require.NoError(t, err)
	refuse(5, 0, 0, 8) // posted before
	_, err = other.Wait(&r)
	require.NoError(t, err)
	_, err = other.Recv(6, 0, pml.AnyTag, buf)
	require.NoError(t, err)
	require.NoError(t, e.Close())
	require.False(t, e.SendShort(5, 1, 0, buf), "closed")
}
