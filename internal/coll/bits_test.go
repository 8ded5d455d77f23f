package coll

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/coll/colltest"
	"github.com/gopvas/gopvas/internal/testkit"
)

// floats adds numbers of floating point, which is not quite associative.
var floats = &Op{Size: 8, Commutative: true, Apply: func(inout, in []byte) {
	for i := 0; i < len(in); i += 8 {
		a, b := binary.LittleEndian.Uint64(inout[i:]), binary.LittleEndian.Uint64(in[i:])
		sum := math.Float64frombits(a) + math.Float64frombits(b)
		binary.LittleEndian.PutUint64(inout[i:], math.Float64bits(sum))
	}
}}

// TestSameBits: the result of an algorithm depends on the data and the number of ranks
// alone, not on who comes first.
func TestSameBits(t *testing.T) {
	const ranks, numbers = 7, 6000
	seed := testkit.Seed(t)
	for _, maker := range colltest.Worlds {
		for _, l := range algorithms {
			if !doneBy(&l, maker) || l.kind != Allreduce {
				continue
			}
			t.Run(fmt.Sprintf("%s/%s", maker.Name, l.name), func(t *testing.T) {
				cpus := [2]int{2, 8}
				if l.name == "flat" && !maker.Direct {
					// with fewer CPUs it would be another, which combines in another order
					cpus[0] = ranks
				}
				var results [4][]byte
				for i := range results {
					results[i] = make([]byte, ranks*numbers*8)
					root, rankOf := maker.Start(t, ranks, cpus[i%2])
					for rank, err := range run(t, root, rankOf, func(w *Team) error {
						w.Choice.Blocking[l.kind] = l.name
						d := newDraw(seed + uint64(w.Rank))
						send := make([]byte, numbers*8)
						for i := range numbers {
							x := math.Ldexp(d.Float64()-0.5, d.IntN(60))
							binary.LittleEndian.PutUint64(send[8*i:], math.Float64bits(x))
						}
						recv := results[i][w.Rank*len(send):][:len(send)]
						return w.Run(&Args{Kind: Allreduce, Op: floats, Send: Buffer{Data: send},
							Recv: Buffer{Data: recv}})
					}) {
						require.NoError(t, err, "rank %d", rank)
					}
					require.True(t, string(results[i]) == string(results[0]), "run %d", i)
				}
				first, rest := results[0][:numbers*8], results[0][numbers*8:]
				for len(rest) > 0 {
					require.True(t, string(rest[:len(first)]) == string(first), "all ranks have the same")
					rest = rest[len(first):]
				}
			})
		}
	}
}
