package pml_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl/mem"
	"github.com/gopvas/gopvas/job"
	"github.com/gopvas/gopvas/pml"
)

// world is a job whose ranks are goroutines.
type world struct {
	*testing.T
	root    *job.Root
	engines []*pml.Engine
}

func newWorld(t *testing.T, ranks, cpus int, o mem.Options) *world {
	t.Helper()
	memory, err := job.Create(job.Config{Ranks: ranks, BTL: job.BTLSM, CPUs: cpus})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, memory.Close()) })
	w := &world{T: t, root: memory.Root()}
	m := mem.New(w.root, o)
	for rank := range ranks {
		w.engines = append(w.engines, pml.New(w.root, rank, m.Module(rank)))
		w.root.SetState(rank, job.StateInit)
	}
	return w
}

// run runs every rank and fails the test if one returns an error.
func (w *world) run(f func(e *pml.Engine, rank int) error) {
	w.Helper()
	var wg sync.WaitGroup
	for rank, e := range w.engines {
		wg.Go(func() {
			if err := f(e, rank); err != nil {
				w.Errorf("rank %d: %v", rank, err)
			}
		})
	}
	wg.Wait()
}

// leave ends a rank as one that has done all it was asked to.
func (w *world) leave(rank int) {
	w.root.SetState(rank, job.StateFinal)
	w.root.MarkGone(rank)
}

// kinds are the worlds that tests run in: roomy, tight in every way, and with
// messages that are late.
var kinds = []struct {
	name string
	opts mem.Options
}{
	{"roomy", mem.Options{}},
	{"tight", mem.Options{EagerLimit: 100, Inline: 8, Queue: 2, Credit: 2, Offers: 2, Piece: 64}},
	{"late", mem.Options{EagerLimit: 256, Queue: 8, Credit: 4, Piece: 1000, Delay: 3}},
	{"no room for eager", mem.Options{Credit: -1, Queue: 1, Offers: 1}},
}

// everywhere runs f in worlds of all kinds and several sizes, in which ranks spin
// and in which they do not.
func everywhere(t *testing.T, f func(w *world)) {
	for _, kind := range kinds {
		for _, ranks := range []int{1, 2, 3, 5} {
			for _, cpus := range []int{1, 8} {
				t.Run(fmt.Sprintf("%s/ranks=%d/cpus=%d", kind.name, ranks, cpus), func(t *testing.T) {
					f(newWorld(t, ranks, cpus, kind.opts))
				})
			}
		}
	}
}
