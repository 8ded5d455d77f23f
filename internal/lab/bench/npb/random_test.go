package npb

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
)

// The sequence against its definition in numbers of any length.
func TestSequence(t *testing.T) {
	const seed = 314159265
	modulus := new(big.Int).Lsh(big.NewInt(1), 46)
	x := big.NewInt(seed)
	var filled [1000]float64
	all, one := sequence(seed), sequence(seed)
	all.fill(filled[:])
	for i, got := range filled {
		x.Mul(x, big.NewInt(multiplier)).Mod(x, modulus)
		want, _ := new(big.Float).SetMantExp(new(big.Float).SetInt(x), -46).Float64()
		require.Equal(t, want, got)
		require.Equal(t, want, one.next())
		ahead := sequence(seed)
		ahead.skip(uint64(i) + 1)
		require.Equal(t, x.Uint64(), uint64(ahead))
	}
	require.Equal(t, one, all)
}

func TestStepsAreTheSequence(t *testing.T) {
	s, x := stepsFrom(271828183), sequence(271828183)
	for range 100 {
		for i := range s {
			x.next()
			require.Equal(t, uint64(x), s[i]&mask46)
			s[i] *= leap
		}
	}
}

// Logarithms that are off by more than two units in the last place are not good
// enough; around 1 and at the ends of the table's intervals it is hardest.
func TestLogarithms(t *testing.T) {
	var src []float64
	for x := sequence(271828183); len(src) < 100_000; {
		u := x.next()
		src = append(src, u, 1-u/1024, 1+u/1024, u*0x1p-46, 1/u)
	}
	for i := range uint64(1 << logBits) {
		edge := math.Float64frombits(logStart + i<<(52-logBits))
		src = append(src, math.Nextafter(edge, 0), edge, edge/2, edge*1024)
	}
	src = append(src, 1, math.Nextafter(1, 0), math.Nextafter(1, 2))
	dst := make([]float64, len(src))
	logarithms(dst, src)
	for i, x := range src {
		want := math.Log(x)
		ulp := math.Abs(math.Nextafter(want, math.Inf(1)) - want)
		require.LessOrEqual(t, math.Abs(dst[i]-want), 2*ulp, "log(%v)", x)
	}
}
