package operator

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/testkit"
)

// What is done by vectors has the results of the loops, at any length and place.
func TestVectorsAndLoopsAgree(t *testing.T) {
	random := rand.New(rand.NewPCG(testkit.Seed(t), 0))
	for _, code := range []Code{Sum, Prod} {
		for element := Int8; element <= Complex128; element++ {
			size, loops := functions(element)
			for range 200 {
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

// numbers returns n bytes of elements, none of which is NaN.
func numbers(random *rand.Rand, element Element, n int) []byte {
	all := make([]byte, n)
	for i := range all {
		all[i] = byte(random.Uint32())
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
