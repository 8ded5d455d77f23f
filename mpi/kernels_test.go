package mpi

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBitwiseKernels: words, their rest, and elements of all sizes against one by one.
func TestBitwiseKernels(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	d := rand.New(rand.NewPCG(seed, 0))
	for range 500 {
		n := 1 + d.IntN(100)
		x, y := make([]uint16, n), make([]uint16, n)
		for i := range x {
			x[i], y[i] = uint16(d.Uint32()), uint16(d.Uint32())
		}
		for _, c := range []struct {
			op *Op[uint16]
			f  func(a, b uint16) uint16
		}{
			{BAnd[uint16](), func(a, b uint16) uint16 { return a & b }},
			{BOr[uint16](), func(a, b uint16) uint16 { return a | b }},
			{BXor[uint16](), func(a, b uint16) uint16 { return a ^ b }},
		} {
			have, want := append([]uint16(nil), x...), make([]uint16, n)
			for i := range want {
				want[i] = c.f(x[i], y[i])
			}
			c.op.op.Apply(bytesOf(have, 2), bytesOf(y, 2))
			require.Equal(t, want, have)
		}
	}
}
