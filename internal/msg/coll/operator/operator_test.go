package operator

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/coll/cad"
)

func TestOperatorsAreFoundByTheirNames(t *testing.T) {
	seen, found := map[string]bool{}, 0
	for code := range Codes {
		for element := range Elements {
			op := Of(code, element)
			if op == nil {
				continue
			}
			found++
			require.NotZero(t, op.Name&cad.Common)
			require.Less(t, op.Name&^cad.Common, uint64(1)<<nameBits)
			require.NotNil(t, Resolve(op.Name))
			require.Same(t, op, Of(code, element))
			text := Describe(op.Name &^ cad.Common)
			require.False(t, seen[text] && element < LocInt8, text)
			seen[text] = true
		}
	}
	require.Greater(t, found, 130)
	require.True(t, seen["sum of float64"])
	require.True(t, seen["logical xor of bool"])
	for _, wrong := range []uint64{0, cad.Common | 1<<20, cad.Common | uint64(Elements),
		cad.Common | uint64(BOr)<<elementBits | uint64(Float64)} {
		require.Nil(t, Resolve(wrong))
	}
}

func TestSizesAreThoseOfTheElements(t *testing.T) {
	for element, size := range map[Element]int{Bool: 1, Int16: 2, Float32: 4, Complex128: 16,
		PairInt16: 8, PairFloat64: 16,
		PairInt64: 16, TwoFloat32: 8, LocUint8: 16} {
		got, _ := functions(element)
		require.Equal(t, size, got, elementNames[element])
	}
}

// extended makes long doubles of numbers.
func extended(values ...float64) []byte {
	all := make([]byte, longSize*len(values))
	for i, v := range values {
		bits := math.Float64bits(v)
		head, fraction := uint16(bits>>63<<15), bits<<11|1<<63
		switch exponent := bits >> 52 & 0x7ff; exponent {
		case 0:
			fraction = 0 // the tests have no denormals
		case 0x7ff:
			head |= 0x7fff
		default:
			head |= uint16(exponent - 1023 + 16383)
		}
		binary.LittleEndian.PutUint64(all[i*longSize:], fraction)
		binary.LittleEndian.PutUint16(all[i*longSize+8:], head)
	}
	return all
}

func TestLongDoubles(t *testing.T) {
	if longDouble == quadFormat {
		t.Skip("the long double of this processor is a quad")
	}
	a, b := []float64{1, -2.5, 0, 0x1p900, math.Inf(1), 3}, []float64{0.5, -2, math.Copysign(0, -1), 0x1p-900, 1, -3}
	for code, f := range map[Code]func(x, y float64) float64{
		Sum: func(x, y float64) float64 { return x + y }, Prod: func(x, y float64) float64 { return x * y },
		Min: math.Min, Max: math.Max,
	} {
		have, want := extended(a...), []float64{}
		Of(code, Extended).Apply(have, extended(b...))
		for i := range a {
			want = append(want, f(a[i], b[i]))
		}
		if code == Min || code == Max {
			want[2] = 0 // zeros are equal: the first stays
		}
		require.Equal(t, extended(want...), have, codeNames[code])
	}
	product := extended(1, 2)
	Of(Prod, ComplexExtended).Apply(product, extended(3, -1))
	require.Equal(t, extended(5, 5), product)

	nan := extended(math.NaN())
	for _, x := range [][2][]byte{{extended(1), nan}, {extended(math.NaN()), extended(1)}} {
		Of(Max, Extended).Apply(x[0], x[1])
		require.Equal(t, nan, x[0])
	}
}

// pairOf is a long double and an int.
func pairOf(value float64, index int32) []byte {
	all := append(extended(value), make([]byte, longSize)...)
	binary.NativeEndian.PutUint32(all[longSize:], uint32(index))
	return all
}

func TestLocations(t *testing.T) {
	a := []pair[float64, int32]{{1, 5}, {2, 5}, {3, 5}}
	minLocation[float64, int32](bytes(a), bytes([]pair[float64, int32]{{1, 4}, {1, 9}, {4, 1}}))
	require.Equal(t, []pair[float64, int32]{{1, 4}, {1, 9}, {3, 5}}, a)
	if longDouble != quadFormat {
		for _, x := range []struct {
			code     Code
			a, b, to []byte
		}{
			{MinLoc, pairOf(1, 5), pairOf(1, 4), pairOf(1, 4)},
			{MinLoc, pairOf(1, 5), pairOf(2, 4), pairOf(1, 5)},
			{MaxLoc, pairOf(1, 5), pairOf(2, 9), pairOf(2, 9)},
			{MaxLoc, pairOf(1, -5), pairOf(1, 4), pairOf(1, -5)},
		} {
			Of(x.code, PairExtended).Apply(x.a, x.b)
			require.Equal(t, x.to, x.a)
		}
	}
}

func TestLogicalOperatorsGiveOneOrZero(t *testing.T) {
	a := []int32{0, 7, -1, 0}
	b := []int32{0, 0, 2, 5}
	for code, want := range map[Code][]int32{LAnd: {0, 0, 1, 0}, LOr: {0, 1, 1, 1}, LXor: {0, 1, 0, 1}} {
		have := append([]int32(nil), a...)
		_, all := functions(Int32)
		all[code](bytes(have), bytes(b))
		require.Equal(t, want, have, codeNames[code])
	}
}
