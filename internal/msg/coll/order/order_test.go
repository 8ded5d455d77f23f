package order

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/internal/msg/coll/colltest"
	"github.com/gopvas/gopvas/internal/msg/coll/operator"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// operators are one of the program, one by the kernel of four, and one that goes in any order.
var operators = []*cad.Op{
	colltest.Strict, operator.Of(operator.Sum, operator.Float64), operator.Of(operator.Sum, operator.Float32),
	operator.Of(operator.Prod, operator.Complex128), operator.Of(operator.Max, operator.Int32),
}

func TestEvaluatorAgainstPlainOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(testkit.Seed(t), 0))
	var e Evaluator
	for members := 1; members <= 40; members++ {
		for _, op := range operators {
			n := op.Size * random.IntN(20)
			if members%7 == 0 {
				n = op.Size * random.IntN(10<<10/op.Size)
			}
			vectors, sum := make([][]byte, members), make([]byte, n)
			for i := range vectors {
				vectors[i] = colltest.Numbers(random, n)
			}
			e.Reduce(op, sum, vectors)
			require.Equal(t, colltest.T(op, vectors), sum, "%d members, %d bytes", members, n)
			for _, exclusive := range []bool{false, true} {
				results := make([][]byte, members)
				from := make([][]byte, members)
				for i := range from {
					from[i] = slices.Clone(vectors[i])
					if results[i] = make([]byte, n); i%3 == 0 {
						results[i] = from[i]
					}
				}
				e.Scan(op, n, results, from, exclusive)
				for i := range results {
					switch {
					case !exclusive:
						require.Equal(t, colltest.T(op, vectors[:i+1]), results[i])
					case i > 0:
						require.Equal(t, colltest.T(op, vectors[:i]), results[i])
					}
				}
			}
		}
	}
}

// Halves that meet give each member of both what the other half has.
func TestHalvesMeet(t *testing.T) {
	for members := 1; members <= 40; members++ {
		for half := 1; half < members; half *= 2 {
			for me := range members {
				h := At(me, half, members)
				if !h.Meet() {
					continue
				}
				from := h.Partner()
				other := At(from, half, members)
				require.NotEqual(t, h.Left(), other.Left())
				require.Equal(t, h.first, other.first)
				var to []int
				other.Partners(func(member int) { to = append(to, member) })
				require.Contains(t, to, me, "%d and %d of %d", me, from, members)
				h.Partners(func(member int) { require.Equal(t, me, At(member, half, members).Partner()) })
			}
		}
	}
}

// Sums take no memory once they have had some.
func TestEvaluatorAllocatesNothing(t *testing.T) {
	testkit.OneGoroutine(t)
	var e Evaluator
	vectors := make([][]byte, 13)
	for i := range vectors {
		vectors[i] = make([]byte, 9000)
	}
	sum := make([]byte, 9000)
	for _, op := range operators[1:3] {
		require.Zero(t, testing.AllocsPerRun(10, func() {
			e.Reduce(op, sum, vectors)
			e.Scan(op, len(sum), vectors, vectors, false)
		}))
	}
}
