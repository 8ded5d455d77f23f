package pml_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/msg/pml"
)

// flooded is a module to which a peer offers more messages whenever it has handed some over.
type flooded struct {
	*mem.Module
	polls, most int // the flood ends when a test has failed by it
	offer       func()
}

func (f *flooded) Poll(max int, deliver func(*btl.Frame)) int {
	n := f.Module.Poll(max, deliver)
	if f.polls++; f.polls < f.most {
		for range n {
			f.offer()
		}
	}
	return n
}

// TestPeerThatFloods: a peer that offers without end keeps no call in the engine, and no rank from noticing
// a death.
func TestPeerThatFloods(t *testing.T) {
	for _, death := range []bool{false, true} {
		w := newWorld(t, 3, 3, mem.Options{})
		m := &flooded{Module: w.memory.Module(1), most: 10_000}
		m.offer = func() {
			_, err := w.engines[0].Isend(0, 1, 1, nil, pml.Synchronous)
			require.NoError(t, err)
		}
		for range 100 {
			m.offer()
		}
		require.NoError(t, w.engines[2].Send(0, 1, 2, nil, pml.Standard))
		e := pml.New(w.root, 1, m)
		sent, err := e.Irecv(0, 2, 2, nil)
		require.NoError(t, err)
		missed, err := e.Irecv(0, 2, 3, nil)
		require.NoError(t, err)
		if death {
			w.root.MarkGone(2)
		}
		e.Progress()
		require.Less(t, m.polls, 1000)
		_, err = sent.Wait()
		require.NoError(t, err)
		if death {
			_, err = missed.Wait()
			wantLost(t, 2, err)
		}
		require.Less(t, m.polls, 1000)
	}
}
