package lock

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
)

// naive is the locks of a window as the standard tells them.
type naive struct {
	alone  []int   // by target: who has its lock alone; none: nobody
	shared [][]int // by target and rank: its locks beside others
	all    []int   // by rank: its locks of all targets
}

func newNaive(ranks int) *naive {
	n := &naive{alone: make([]int, ranks), shared: make([][]int, ranks), all: make([]int, ranks)}
	for target := range n.alone {
		n.alone[target], n.shared[target] = none, make([]int, ranks)
	}
	return n
}

func sum(list []int) (n int) {
	for _, k := range list {
		n += k
	}
	return n
}

func (n *naive) free(target int, alone bool) bool {
	return n.alone[target] == none && (!alone || sum(n.shared[target])+sum(n.all) == 0)
}

// blocks tells whether a rank that has gone is in the way of who wants a lock: it may have it beside others if it has
// several, of whatever targets.
func (n *naive) blocks(target, gone int, alone bool) bool {
	held := n.all[gone]
	for _, ranks := range n.shared {
		held += ranks[gone]
	}
	return n.alone[target] == gone || alone && (held > 1 || n.shared[target][gone]+n.all[gone] > 0)
}

// Ranks lock targets and give the locks back, in any order. Each gets what no other lock excludes, and who waits sees
// when it could have it, and who is in its way. In the end the words are as in the beginning.
func TestLocksAgainstNaiveModel(t *testing.T) {
	const ranks = 4
	random := rand.New(rand.NewPCG(testkit.Seed(t), 0))
	_, all := sharedWords(t, ranks)
	for range 200 {
		model := newNaive(ranks)
		for range 60 {
			target, by := random.IntN(ranks), random.IntN(ranks)
			w := all[by]
			switch random.IntN(5) {
			case 0, 1:
				alone := random.IntN(2) == 0
				free := model.free(target, alone)
				require.Equal(t, free, w.Take(target, by, alone))
				switch {
				case free && alone:
					model.alone[target] = by
				case free:
					model.shared[target][by]++
				}
			case 2, 3:
				model.give(w, target, by)
			case 4:
				if len(model.alone) == count(model.alone, none) { // else it waits
					require.NoError(t, w.LockAll(0, ranks))
					model.all[by]++
				}
			}
			model.compare(t, all[random.IntN(ranks)], target)
		}
		for by, w := range all {
			for target := range ranks {
				for model.give(w, target, by) {
				}
			}
		}
		require.Zero(t, all[0].head.everyone.Load())
		for rank := range ranks {
			require.Zero(t, all[0].records[rank].held.Load())
			require.Zero(t, all[0].records[rank].lock.Load())
		}
	}
}

func count(list []int, what int) (n int) {
	for _, k := range list {
		if k == what {
			n++
		}
	}
	return n
}

// give gives back one lock of a rank, of this target or of all, if it has any.
func (n *naive) give(w *Words, target, by int) bool {
	switch {
	case n.alone[target] == by:
		w.Give(target, by, true)
		n.alone[target] = none
	case n.shared[target][by] > 0:
		w.Give(target, by, false)
		n.shared[target][by]--
	case n.all[by] > 0:
		w.UnlockAll()
		n.all[by]--
	default:
		return false
	}
	return true
}

// compare compares what a rank sees of a target.
func (n *naive) compare(t *testing.T, w *Words, target int) {
	require.Equal(t, n.alone[target] != none, w.Exclusive(target))
	for _, alone := range []bool{false, true} {
		a := w.untilFree(target, alone)
		require.Equal(t, n.free(target, alone), a.over())
		require.Equal(t, n.alone[target], a.holder())
		for gone := range n.all {
			require.Equal(t, n.blocks(target, gone, alone), a.blocks(gone), "%+v: %d of %d", n, gone, target)
		}
	}
}
