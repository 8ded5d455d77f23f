package pml

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/btl/mem"
	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/job/jobtest"
	"github.com/gopvas/gopvas/shm"
)

// TestFewGiveWay: a few more ranks than CPUs look in the waits of the engine, and yield elsewhere. More only yield.
func TestFewGiveWay(t *testing.T) {
	for _, test := range []struct{ ranks, looks int }{{1, job.DefaultSpin}, {2, fewLooks}, {5, 0}} {
		memory, err := job.Create(job.Config{Ranks: test.ranks, BTL: job.BTLSM, CPUs: 1})
		require.NoError(t, err)
		root := memory.Root()
		e := New(root, 0, mem.New(root, mem.Options{}).Module(0))
		require.EqualValues(t, test.looks, e.pace.Spin(), test)
		require.Equal(t, test.looks == fewLooks, e.pace.Crowded(), test)
		require.Equal(t, test.ranks > 1, e.Yields(), test)
		require.NoError(t, memory.Close())
	}
}

// With a crowd and more ranks than CPUs, an engine looks often in its own waits, and yields after each look.
// Waits elsewhere, as at a board, and tests in vain yield at once.
func TestManyOfSeveralNodesYield(t *testing.T) {
	e := &Engine{}
	e.pace.Set(100, nil)
	require.False(t, e.Yields())
	e.pace.Set(100, shm.NewCrowd(true))
	require.True(t, e.Yields())
	require.Zero(t, e.Spin())

	e.pace.Set(100, shm.NewCrowd(false))
	require.False(t, e.Yields())
	require.Equal(t, 100, e.Spin())

	require.True(t, (&Engine{}).Yields(), "one node, more ranks than CPUs")
}

// slowly is a module that takes 50 us to deliver a message, one for each look.
type slowly struct{ btl.Messages }

func (m slowly) Poll(_ int, deliver func(*btl.Frame)) int {
	return m.Messages.Poll(1, func(f *btl.Frame) {
		for begin := time.Now(); time.Since(begin) < 50*time.Microsecond; {
		}
		deliver(f)
	})
}

// A rank that waits for a message may get others. It does not take the time of these for one in which other ranks had
// its CPU. So it does not give way.
func TestMessagesAreWork(t *testing.T) {
	const others = 40
	for name, receive := range map[string]func(e *Engine) error{
		"Recv": func(e *Engine) error { _, err := e.Recv(1, 1, 0, nil); return err },
		"Wait": func(e *Engine) error {
			r, err := e.Irecv(1, 1, 0, nil)
			if err == nil {
				_, err = r.Wait()
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			memory := jobtest.Create(t, job.Config{Ranks: 2, BTL: job.BTLSM, CPUs: 2})
			modules := mem.New(memory.Root(), mem.Options{})
			e := New(memory.Root(), 0, slowly{modules.Module(0)})
			e.pace.Set(2*others, shm.NewCrowd(false))
			sender := New(memory.Root(), 1, modules.Module(1))
			for i := range others + 1 {
				require.NoError(t, sender.Send(1, 0, others-i, nil, Standard))
			}
			require.NoError(t, receive(e))
			require.False(t, e.pace.Shares())
		})
	}
}
