package list

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

type item struct{ node Node[item] }

// TestListAgainstSlice pushes and removes at random.
func TestListAgainstSlice(t *testing.T) {
	var l List[item]
	var model []*item
	rng := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		switch k := rng.IntN(4); {
		case k == 0 && len(model) > 0:
			i := rng.IntN(len(model))
			l.Remove(&model[i].node)
			model = slices.Delete(model, i, i+1)
		case k == 1 && len(model) > 0:
			require.Same(t, model[0], l.Pop())
			model = model[1:]
		default:
			op := &item{}
			op.node.Of = op
			if k == 2 {
				l.PushFront(&op.node)
				model = slices.Insert(model, 0, op)
			} else {
				l.Push(&op.node)
				model = append(model, op)
			}
		}
		var have, back []*item
		for n := l.Head(); n != nil; n = n.Next() {
			have = append(have, n.Of)
		}
		for n := l.tail; n != nil; n = n.prev {
			back = append(back, n.Of)
		}
		slices.Reverse(back)
		require.True(t, slices.Equal(model, have) && slices.Equal(model, back))
	}
	l = List[item]{}
	require.Nil(t, l.Pop())
}
