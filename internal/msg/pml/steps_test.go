package pml_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// counted is a module that counts how often its transfers are asked.
type counted struct {
	btl.Module
	steps int
}

type countedTransfer struct {
	btl.Transfer
	of *counted
}

func (t countedTransfer) Progress() (bool, error) {
	t.of.steps++
	return t.Transfer.Progress()
}

func (m *counted) Offer(peer int, h *btl.Header, src *btl.Buffer) (btl.Transfer, bool) {
	t, ok := m.Module.Offer(peer, h, src)
	if t != nil {
		t = countedTransfer{t, m}
	}
	return t, ok
}

// TestStepsOfManySends: many sends are underway, and received one by one in their order.
// The steps of the sender are in proportion to their number, with one receiver or several.
// (The first 256 sends to each are eager, so that 15 times as many are offered.)
func TestStepsOfManySends(t *testing.T) {
	if testkit.Race {
		t.Skip("one goroutine, which counts")
	}
	for _, receivers := range []int{1, 5} {
		few, many := stepsOf(t, 500, receivers), stepsOf(t, 4000, receivers)
		require.LessOrEqual(t, many, 20*few, "%d receivers: steps of 500 and of 4000 sends each", receivers)
	}
}

func stepsOf(t *testing.T, sends, receivers int) int {
	memory := jobtest.Create(t, job.Config{Ranks: receivers + 1, BTL: job.BTLSM, CPUs: receivers + 1})
	world := mem.New(memory.Root(), mem.Options{})
	module := &counted{Module: world.Module(0)}
	sender := pml.New(memory.Root(), 0, module)
	engines := make([]*pml.Engine, receivers)
	for i := range engines {
		engines[i] = pml.New(memory.Root(), i+1, world.Module(i+1))
	}
	var requests []pml.Request
	for n := range sends {
		for i, e := range engines {
			r, err := sender.Isend(1, i+1, n, []byte{byte(n)}, pml.Standard)
			require.NoError(t, err)
			requests = append(requests, r)
			if n%100 == 0 {
				e.Progress()
			}
		}
	}
	sender.Progress()
	for n := range sends {
		for _, e := range engines {
			buf := make([]byte, 1)
			_, err := e.Recv(1, 0, n, buf)
			require.NoError(t, err)
			require.Equal(t, byte(n), buf[0])
		}
		_, _ = pml.AllDone(requests) // one look
	}
	done, err := pml.AllDone(requests)
	require.NoError(t, err)
	require.True(t, done)
	return module.steps
}
