package operator

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
)

// What is done by vectors has the results of the loops, at any length and place.
func TestVectorsAndLoopsAgree(t *testing.T) {
	random := rand.New(rand.NewPCG(testkit.Seed(t), 0))
	for code := range Codes {
		for element := Int8; element <= Complex128; element++ {
			size, loops := functions(element)
			if loops[code] == nil {
				continue
			}
			for range 50 {
				n, skip := size*random.IntN(100), size*random.IntN(5)
				a, b := numbers(random, element, skip+n)[skip:], numbers(random, element, n)
				want := append([]byte{}, a...)
				loops[code](want, b)
				Of(code, element).Apply(a, b)
				require.Equal(t, want, a, "%v of %d bytes", Describe(Of(code, element).Name), n)
			}
		}
	}
	require.Panics(t, func() { Of(Sum, Int32).Apply(make([]byte, 64), make([]byte, 60, 64)) },
		"a vector that is too short")
}

// What is done with four vectors at once has the bits of three steps, at any length and place.
func TestFourVectors(t *testing.T) {
	random := rand.New(rand.NewPCG(testkit.Seed(t), 1))
	tried := 0
	for code := range Codes {
		for element := range Elements {
			op := Of(code, element)
			if op == nil || op.Four == nil {
				continue
			}
			for range 50 {
				n := op.Size * random.IntN(100)
				var in [4][]byte
				for i := range in {
					skip := op.Size * random.IntN(5)
					in[i] = numbers(random, element, skip+n)[skip:]
				}
				out := make([]byte, n)
				op.Four(out, in[0], in[1], in[2], in[3])
				op.Apply(in[0], in[1])
				op.Apply(in[2], in[3])
				op.Apply(in[0], in[2])
				require.Equal(t, in[0], out, "%v of %d bytes", Describe(op.Name), n)
				tried++
			}
		}
	}
	require.NotZero(t, tried)
	b := make([]byte, 64)
	require.Panics(t, func() { Of(Sum, Float64).Four(b, b, b, b, b[:60:60]) }, "a vector that is too short")
}

// The lesser and the greater one of each two numbers that are special.
func TestVectorsOfSpecialNumbers(t *testing.T) {
	special := []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), -math.NaN(), 0x1p-1060}
	for _, code := range []Code{Min, Max} {
		pick := func(x, y float64) float64 { return min(x, y) }
		if code == Max {
			pick = func(x, y float64) float64 { return max(x, y) }
		}
		for _, x := range special {
			for _, y := range special {
				var a, b, c, d [32]byte
				for i := range 4 {
					binary.NativeEndian.PutUint64(a[8*i:], math.Float64bits(x))
					binary.NativeEndian.PutUint64(b[8*i:], math.Float64bits(y))
				}
				for i := range 8 {
					binary.NativeEndian.PutUint32(c[4*i:], math.Float32bits(float32(x)))
					binary.NativeEndian.PutUint32(d[4*i:], math.Float32bits(float32(y)))
				}
				Of(code, Float64).Apply(a[:], b[:])
				Of(code, Float32).Apply(c[:], d[:])
				wide := math.Float64frombits(binary.NativeEndian.Uint64(a[24:]))
				short := float64(math.Float32frombits(binary.NativeEndian.Uint32(c[28:])))
				want := pick(x, y)
				if math.IsNaN(want) {
					require.True(t, math.IsNaN(wide) && math.IsNaN(short), "%v %v %v", code, x, y)
					continue
				}
				require.Equal(t, math.Float64bits(want), math.Float64bits(wide), "%v %v %v", code, x, y)
				want = float64(float32(want))
				require.Equal(t, math.Float64bits(want), math.Float64bits(short), "%v %v %v", code, x, y)
			}
		}
	}
}

// numbers returns n bytes of elements, none of which is NaN.
func numbers(random *rand.Rand, element Element, n int) []byte {
	all := make([]byte, n)
	for i := range all {
		all[i] = byte(random.Uint32())
	}
	for i := 0; i < n && element < Float32; i += 1 + random.IntN(40) {
		clear(all[i:min(n, i+8)]) // for what is false
	}
	switch element {
	case Float32, Complex64:
		for i := 0; i < n; i += 4 {
			binary.NativeEndian.PutUint32(all[i:], math.Float32bits(float32(random.NormFloat64())))
		}
	case Float64, Complex128:
		for i := 0; i < n; i += 8 {
			binary.NativeEndian.PutUint64(all[i:], math.Float64bits(random.NormFloat64()))
		}
	}
	return all
}

func BenchmarkSum(b *testing.B) {
	for _, element := range []Element{Int32, Float32, Float64} {
		for _, n := range []int{8, 64, 1 << 13, 1 << 20} {
			x, y := make([]byte, n), make([]byte, n)
			_, loops := functions(element)
			for name, sum := range map[string]func(inout, in []byte){"loop": loops[Sum],
				"vectors": Of(Sum, element).Apply} {
				b.Run(fmt.Sprintf("%s/%d/%s", elementNames[element], n, name), func(b *testing.B) {
					b.SetBytes(int64(n))
					for b.Loop() {
						sum(x, y)
					}
				})
			}
		}
	}
}
