package board

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
)

// TestSumsOfHashes: three calls that differ by the same step in any field have not the sum of three of the middle one.
func TestSumsOfHashes(t *testing.T) {
	random := testkit.Rand(t)
	hash := func(word, size, call uint64) uint64 { return (&Record{Word: word, Size: size, call: call}).hash() }
	const all = 1<<(64-countBits) - 1
	for range 1000 {
		word, size, call := random.Uint64(), random.Uint64N(1<<20), random.Uint64N(1<<20)
		for step := uint64(1); step != 0; step <<= 1 {
			for _, by := range [][3]uint64{{step, 0, 0}, {0, step, 0}, {0, 0, step}} {
				sum := uint64(0)
				for i := range uint64(3) {
					sum += hash(word+i*by[0], size+i*by[1], call+i*by[2])
				}
				require.NotEqual(t, sum&all, 3*hash(word+by[0], size+by[1], call+by[2])&all)
			}
		}
	}
}
