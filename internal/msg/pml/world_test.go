package pml_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// world is a job whose ranks are goroutines.
type world struct {
	*testing.T
	root    *job.Root
	memory  *mem.World // of the node
	engines []*pml.Engine
}

func newWorld(t *testing.T, ranks, cpus int, o mem.Options) *world {
	t.Helper()
	memory := jobtest.Create(t, job.Config{Ranks: ranks, BTL: job.BTLSM, CPUs: cpus,
		Settings: job.Settings{Spin: testkit.Spin}})
	w := &world{T: t, root: memory.Root(), memory: mem.New(memory.Root(), o)}
	for rank := range ranks {
		w.engines = append(w.engines, pml.New(w.root, rank, w.memory.Module(rank)))
		w.root.SetState(rank, job.StateInit)
	}
	return w
}

// newCluster is newWorld with nodes of two ranks. Other nodes are reached by a network.
func newCluster(t *testing.T, ranks, cpus int, o mem.Options) *world {
	t.Helper()
	w := newWorld(t, ranks, cpus, o)
	// The network takes other lengths than the memory.
	o.EagerLimit, o.Inline = max(o.EagerLimit/2, 64), -1
	network := mem.New(w.root, o)
	for rank, e := range w.engines {
		if ranks > 2 {
			e.AddPeers(network.Network(rank), func(peer int) bool { return peer/2 != rank/2 })
		}
	}
	return w
}

// starter is newWorld or newCluster.
type starter func(t *testing.T, ranks, cpus int, o mem.Options) *world

// inBoth runs f with each.
func inBoth(t *testing.T, name string, f func(t *testing.T, start starter)) {
	t.Run(name, func(t *testing.T) { f(t, newWorld) })
	t.Run("nodes/"+name, func(t *testing.T) { f(t, newCluster) })
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
				if ranks > 2 {
					t.Run(fmt.Sprintf("%s/nodes/ranks=%d/cpus=%d", kind.name, ranks, cpus), func(t *testing.T) {
						f(newCluster(t, ranks, cpus, kind.opts))
					})
				}
			}
		}
	}
}
