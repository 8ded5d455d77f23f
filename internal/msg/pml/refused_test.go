package pml_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/node/job"
)

// lateRoom is a module whose peers make room as soon as they have refused a message.
type lateRoom struct {
	*mem.Module
	room func()
}

func (m *lateRoom) Send(peer int, h *btl.Header, payload []byte) (btl.Transfer, bool) {
	t, ok := m.Module.Send(peer, h, payload)
	if !ok {
		m.room()
	}
	return t, ok
}

func (m *lateRoom) SendBuffer(peer int, h *btl.Header, src btl.Buffer) bool {
	ok := m.Module.SendBuffer(peer, h, src)
	if !ok {
		m.room()
	}
	return ok
}

// A send that waits for room at its receiver is not cancelled, like one that has found room.
func TestCancelOfASend(t *testing.T) {
	for _, queue := range []int{1, 2} {
		w := newWorld(t, 2, 2, mem.Options{Queue: queue})
		require.NoError(t, w.engines[0].Send(1, 1, 0, []byte{6}, pml.Standard))
		r, err := w.engines[0].Isend(1, 1, 1, []byte{7}, pml.Synchronous)
		require.NoError(t, err)
		require.ErrorIs(t, r.Cancel(), pml.ErrCancelSend)
		buf, sent := make([]byte, 1), make(chan pml.Status)
		go func() {
			st, _ := r.Wait()
			sent <- st
		}()
		for tag, want := range []byte{6, 7} {
			_, err = w.engines[1].Recv(1, 0, tag, buf)
			require.NoError(t, err)
			require.Equal(t, want, buf[0])
		}
		require.False(t, (<-sent).Cancelled)
	}
}

// A short message that is refused for want of room is not offered when there is room a moment later: it would wait for
// its receiver. Without credit it is offered.
func TestRoomThatComesLate(t *testing.T) {
	for _, c := range []struct {
		opts    mem.Options
		offered uint64
	}{{mem.Options{Queue: 1}, 0}, {mem.Options{Credit: 1}, 1}} {
		memory, err := job.Create(job.Config{Ranks: 2, BTL: job.BTLSM, CPUs: 2})
		require.NoError(t, err)
		world := mem.New(memory.Root(), c.opts)
		receiver := pml.New(memory.Root(), 1, world.Module(1))
		refused := 0
		module := &lateRoom{Module: world.Module(0)}
		module.room = func() {
			if refused++; refused == 1 {
				receiver.Progress()
			}
		}
		sender := pml.New(memory.Root(), 0, module)
		require.NoError(t, sender.Send(1, 1, 0, []byte{6}, pml.Standard))
		r, err := sender.Isend(1, 1, 1, []byte{7}, pml.Standard)
		require.NoError(t, err)
		require.GreaterOrEqual(t, refused, 1)
		require.Equal(t, c.offered, module.Counters().OfferedSent)
		for done := false; c.offered == 0 && !done; {
			done, err = pml.AllDone([]pml.Request{r})
			require.NoError(t, err)
		}
		buf := make([]byte, 1)
		for tag, want := range []byte{6, 7} {
			_, err = receiver.Recv(1, 0, tag, buf)
			require.NoError(t, err)
			require.Equal(t, want, buf[0])
		}
		require.NoError(t, memory.Close())
	}
}
