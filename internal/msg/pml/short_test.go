package pml_test

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// shortCounter counts the messages that go by the capability Short.
type shortCounter struct {
	btl.Messages
	btl.Short
	sent, taken int
}

func (c *shortCounter) Capabilities() btl.Capabilities {
	all := c.Messages.Capabilities()
	c.Short, all.Short = all.Short, c
	return all
}

func (c *shortCounter) SendShort(peer int, context uint32, tag int32, payload []byte) bool {
	ok := c.Short.SendShort(peer, context, tag, payload)
	if ok {
		c.sent++
	}
	return ok
}

func (c *shortCounter) TakeShort(looks, peer int, context uint32, tag int32, buf []byte) (n int, got int32, ok bool) {
	if n, got, ok = c.Short.TakeShort(looks, peer, context, tag, buf); ok {
		c.taken++
	}
	return n, got, ok
}

// newCounted is newWorld of two ranks, and what counts the short messages of each.
func newCounted(t *testing.T, o mem.Options) (w *world, counts []*shortCounter) {
	w = newWorld(t, 2, 2, o)
	for rank := range w.engines {
		c := &shortCounter{Messages: w.memory.Module(rank)}
		counts = append(counts, c)
		w.engines[rank] = pml.New(w.root, rank, c)
	}
	return w, counts
}

// The short ways and the others, in any mixture, bring the same messages in the same order, with one thread and with
// several goroutines.
func TestShortWays(t *testing.T) {
	for _, alone := range []bool{true, false} {
		messages := testkit.Rounds(20_000)
		seed := testkit.Seed(t)
		w, counts := newCounted(t, mem.Options{Inline: 16, EagerLimit: 64})
		w.run(func(e *pml.Engine, rank int) error {
			if alone {
				e.Threads().One(func() {})
			}
			random := rand.New(rand.NewPCG(seed, uint64(rank)))
			if rank == 0 {
				return sendSome(e, random, messages)
			}
			for i := 0; i < messages; {
				n := min(1+random.IntN(8), messages-i)
				receiveSome(t, e, random, i, n)
				i += n
			}
			require.True(t, e.Inside().Idle(5))
			return nil
		})
		t.Logf("short: %d sent, %d received", counts[0].sent, counts[1].taken)
		require.Positive(t, counts[0].sent)
		require.Positive(t, counts[1].taken)
	}
}

// sendSome sends messages, and waits for them at the end at the latest.
func sendSome(e *pml.Engine, random *rand.Rand, messages int) (err error) {
	var requests []pml.Request
	for i := range messages {
		switch random.IntN(4) {
		case 0:
			err = e.SendBuffer(5, 1, i%3, btl.Buffer{Bytes: content(i)}, pml.Standard)
		case 1:
			var r pml.Request
			r, err = e.Isend(5, 1, i%3, content(i), pml.Standard)
			requests = append(requests, r)
		default:
			err = e.Send(5, 1, i%3, content(i), pml.Standard)
		}
		if err != nil {
			return err
		}
	}
	for i := range requests {
		if _, err := requests[i].Wait(); err != nil {
			return err
		}
	}
	return nil
}

// content is message i: some of them are too long for the short way.
func content(i int) []byte {
	p := make([]byte, i*7%23)
	for k := range p {
		p[k] = byte(i + k)
	}
	return p
}

// receiveSome receives n messages from i on: it receives them one after the other, or posts the receives and waits.
func receiveSome(t *testing.T, e *pml.Engine, random *rand.Rand, i, n int) {
	bufs, requests := make([][]byte, n), make([]pml.Request, n)
	post := random.IntN(3) == 0
	for k := range n {
		bufs[k] = make([]byte, 100)
		tag := (i + k) % 3
		if post {
			var err error
			requests[k], err = e.Irecv(5, 0, tag, bufs[k])
			require.NoError(t, err)
			requests[k].Unit = 8
			owner := any(t)
			requests[k].SetOwner(uintptr(k+1), &owner)
			continue
		}
		want := []int{tag, pml.AnyTag}[random.IntN(2)]
		st, err := e.Recv(5, 0, want, bufs[k])
		require.NoError(t, err)
		require.Equal(t, pml.Status{Tag: tag, Bytes: st.Bytes}, st)
		require.Equal(t, content(i+k), bufs[k][:st.Bytes])
	}
	if !post {
		return
	}
	var waits pml.Waits
	waits.Begin(e)
	defer waits.End()
	for k := range n {
		handle := uintptr(k + 1)
		op := waits.Messages().Message(requests[k].Place(), handle)
		require.NotNil(t, op)
		require.True(t, waits.Over(op, handle))
		require.EqualValues(t, 8, op.Unit())
		st := *op.Status()
		waits.Drop(op)
		require.Nil(t, waits.Messages().Message(requests[k].Place(), handle))
		require.Equal(t, (i+k)%3, st.Tag)
		require.Equal(t, content(i+k), bufs[k][:st.Bytes])
	}
}

// There is no short way where another would have to know of the message, or something is wrong.
func TestNoShortWay(t *testing.T) {
	w, counts := newCounted(t, mem.Options{})
	e, other := w.engines[0], w.engines[1]
	buf := make([]byte, 8)
	var left pml.Request
	send := func(short int, context uint32, dst, tag int, mode pml.Mode) error {
		t.Helper()
		before := counts[0].sent
		r, err := e.Isend(context, dst, tag, buf, mode)
		require.Equal(t, short, counts[0].sent-before)
		if err == nil && dst == 0 {
			_, err = e.Recv(context, dst, tag, buf)
			require.NoError(t, err)
			_, err = r.Wait()
		}
		if mode == pml.Synchronous {
			left = r
		}
		return err
	}
	require.ErrorContains(t, send(0, 5, 2, 0, pml.Standard), "rank")
	require.ErrorContains(t, send(0, 5, -1, 0, pml.Standard), "rank")
	require.NoError(t, send(0, 5, 0, 0, pml.Standard), "to itself")
	require.ErrorContains(t, send(0, 5, 1, -1, pml.Standard), "tag")
	require.NoError(t, send(1, 5, 1, 0, pml.Standard))
	require.NoError(t, send(1, 6, 1, 0, pml.Standard))
	require.NoError(t, send(0, 7, 1, 0, pml.Synchronous))

	receive := func(short int, context uint32, src, tag, room int) error {
		t.Helper()
		before := counts[1].taken
		_, err := other.Recv(context, src, tag, buf[:room])
		require.Equal(t, short, counts[1].taken-before)
		return err
	}
	require.NoError(t, receive(0, 6, 0, 0, 8), "another is before it")
	r, err := other.Irecv(8, pml.AnySource, 0, buf)
	require.NoError(t, err)
	require.NoError(t, receive(0, 5, pml.AnySource, 0, 8), "it had come before")
	require.NoError(t, receive(0, 7, 0, 0, 8), "likewise")
	_, err = left.Wait()
	require.NoError(t, err)
	require.NoError(t, send(1, 8, 1, 0, pml.Standard))
	require.NoError(t, send(1, 8, 1, 0, pml.Standard))
	require.NoError(t, receive(0, 8, 0, 0, 8), "a receive was posted before")
	_, err = r.Wait()
	require.NoError(t, err)
	require.NoError(t, send(1, 5, 1, 1, pml.Standard))
	require.ErrorContains(t, receive(0, 5, 0, 1, 7), "8 bytes")
	require.NoError(t, send(1, 5, 1, 1, pml.Standard))
	require.NoError(t, receive(1, 5, 0, 1, 8))
	require.NoError(t, e.Close())
	require.ErrorIs(t, send(0, 5, 1, 0, pml.Standard), pml.ErrFinalized)
}

// Goroutines that wait for what others of the rank must do are not held up by the looks for short messages.
func TestShortWayBesideOthers(t *testing.T) {
	const messages = 2000
	w, _ := newCounted(t, mem.Options{})
	w.run(func(e *pml.Engine, rank int) error {
		var all sync.WaitGroup
		for context := range uint32(3) {
			all.Go(func() {
				buf := make([]byte, 8)
				for i := range messages {
					var err error
					if i%2 == rank {
						err = e.Send(context, 1-rank, 0, buf, pml.Standard)
					} else {
						_, err = e.Recv(context, 1-rank, 0, buf)
					}
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		all.Wait()
		return nil
	})
}
