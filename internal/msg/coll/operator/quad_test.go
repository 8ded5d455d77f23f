package operator

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// quadsOf makes quads of numbers, exactly.
func quadsOf(values ...float64) []byte {
	var all []byte
	for _, v := range values {
		bits := math.Float64bits(v)
		high := bits>>63<<63 | bits<<12>>16
		switch exponent := bits >> 52 & 0x7ff; exponent {
		case 0: // the tests have no denormals
		case 0x7ff:
			high |= quadExponent
		default:
			high |= (exponent - 1023 + 16383) << 48
		}
		all = append(all, quadBytes(quad{bits << 60, high})...)
	}
	return all
}

func quadBytes(q quad) []byte {
	var b [longSize]byte
	word.PutUint64(b[:], q.low)
	word.PutUint64(b[8:], q.high)
	return b[:]
}

// Programs in C compare with the arithmetic of a compiler: see internal/capi/programs.
func TestQuads(t *testing.T) {
	a := []float64{1, -2.5, 0, 0x1p900, math.Inf(1), 3, math.Copysign(0, -1), math.Inf(-1)}
	b := []float64{0.5, -2, math.Copysign(0, -1), 0x1p-100, 1, -3, math.Copysign(0, -1), 2}
	for code, f := range map[Code]func(x, y float64) float64{
		Prod: func(x, y float64) float64 { return x * y }, Min: math.Min, Max: math.Max,
		Sum: func(x, y float64) float64 { return x + y },
	} {
		have, want := quadsOf(a...), []float64{}
		Of(code, Quad).Apply(have, quadsOf(b...))
		for i := range a {
			want = append(want, f(a[i], b[i]))
		}
		if code == Min || code == Max {
			want[2] = 0 // zeros are equal: the first stays
		}
		if code == Sum { // a quad has more bits than the sum of these
			copy(have[3*longSize:], quadsOf(want[3]))
		}
		require.Equal(t, quadsOf(want...), have, codeNames[code])
	}
	product := quadsOf(1, 2)
	Of(Prod, ComplexQuad).Apply(product, quadsOf(3, -1))
	require.Equal(t, quadsOf(5, 5), product)

	const all = math.MaxUint64
	one, half := quad{0, 0x3fff << 48}, quad{0, 0x3ffe << 48}
	for _, x := range []struct {
		code       Code
		a, b, want quad
	}{
		{Sum, one, quad{1, 0}, one},                               // the least number
		{Sum, one, quad{1, 0x3f8e << 48}, quad{1, one.high}},      // more than half a unit
		{Sum, one, quad{0, 0x3f8e << 48}, one},                    // half: to even
		{Sum, quad{all, 1<<48 - 1}, quad{1, 0}, quad{0, 1 << 48}}, // the first normal one
		// too large
		{Sum, quad{all, 0x7ffe<<48 | 1<<48 - 1}, quad{0, 0x7ffe << 48}, quad{0, quadExponent}},
		{Prod, quad{0, 1 << 48}, half, quad{0, 1 << 47}},                     // half of the least normal one
		{Prod, quad{1, 0}, half, quad{}},                                     // half of the least: to even
		{Prod, quad{3, 0}, quad{0, quadSign | half.high}, quad{2, quadSign}}, // 1.5 of the least
		{Prod, quad{1, 0}, quad{1, half.high}, quad{1, 0}},                   // more than half of it
		// nothing, with a sign
		{Prod, quad{1, 0}, quad{0, quadSign | 1<<48}, quad{0, quadSign}},
		{Sum, quad{0, quadExponent}, quad{0, quadSign | quadExponent}, quad{0, quadNone}},
		{Prod, quad{0, quadExponent}, quad{}, quad{0, quadNone}},
		{Sum, quad{5, quadExponent}, quad{}, quad{5, quadNone}},
		{Max, quad{}, quad{5, quadNone}, quad{5, quadNone}},
		{Min, quad{5, quadNone}, quad{}, quad{5, quadNone}},
	} {
		have := quadBytes(x.a)
		Of(x.code, Quad).Apply(have, quadBytes(x.b))
		require.Equal(t, x.want, quadAt(have), "%s of %x and %x", codeNames[x.code], x.a, x.b)
	}
}

func TestWideIntegers(t *testing.T) {
	minus := func(v uint64) wide { return wide{-v, -1} }
	for _, x := range []struct {
		code       Code
		a, b, want wide
	}{
		{Sum, wide{math.MaxUint64, 0}, wide{1, 0}, wide{0, 1}},
		{Sum, minus(5), wide{3, 0}, minus(2)},
		{Prod, wide{1 << 63, 0}, wide{6, 0}, wide{0, 3}},
		{Prod, minus(7), wide{6, 0}, minus(42)},
		{Prod, minus(7), minus(6), wide{42, 0}},
		{Min, minus(1), wide{0, 1}, minus(1)},
		{Max, minus(1), wide{0, 1}, wide{0, 1}},
		{Max, wide{2, 1}, wide{3, 1}, wide{3, 1}},
		{BXor, wide{6, 5}, wide{3, 4}, wide{5, 1}},
		{LAnd, wide{0, 1}, wide{7, 0}, wide{1, 0}},
		{LOr, wide{}, wide{}, wide{}},
		{LXor, wide{0, 1}, wide{}, wide{1, 0}},
	} {
		have := quadBytes(quad{x.a.low, uint64(x.a.high)})
		Of(x.code, Int128).Apply(have, quadBytes(quad{x.b.low, uint64(x.b.high)}))
		got := quadAt(have)
		require.Equal(t, x.want, wide{got.low, int64(got.high)}, codeNames[x.code])
	}
}
