package pml

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
)

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
// its CPU. So it does not yield.
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
			e.waits.ParkIn(nil) // nobody parks: all has come
			sender := New(memory.Root(), 1, modules.Module(1))
			for i := range others + 1 {
				require.NoError(t, sender.Send(1, 0, others-i, nil, Standard))
			}
			require.NoError(t, receive(e))
			require.Positive(t, e.waits.Spins())
		})
	}
}
