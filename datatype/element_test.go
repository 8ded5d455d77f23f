package datatype_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/datatype"
)

func TestElementsMatchUnlessTheirNumbersDiffer(t *testing.T) {
	float64s := datatype.ElementOf(datatype.KindFloat, 8)
	for _, c := range []struct {
		name    string
		a, b    datatype.Element
		matches bool
	}{
		{"themselves", float64s, datatype.ElementFloat64, true},
		{"another class", float64s, datatype.ElementInt64, false},
		{"another size", float64s, datatype.ElementFloat32, false},
		{"signed and unsigned", datatype.ElementOf(datatype.KindUnsigned, 4), datatype.ElementInt32, false},
		{"both unsigned", datatype.ElementOf(datatype.KindUnsigned, 4),
			datatype.ElementInt32 + datatype.ElementUnsigned, true},
		{"of one byte", datatype.ElementOf(datatype.KindUnsigned, 1), datatype.ElementInt8, true},
		{"characters and small integers", datatype.ElementOf(datatype.KindCharacter, 1), datatype.ElementInt8, true},
		{"logical values and integers", datatype.ElementOf(datatype.KindLogical, 4), datatype.ElementInt32, true},
		{"complex numbers and their parts", datatype.ElementOf(datatype.KindComplex, 16), float64s, true},
		{"complex numbers and other floats", datatype.ElementComplex128, datatype.ElementFloat32, false},
		{"bytes", datatype.ElementByte, float64s, true},
		{"packed", datatype.ElementOf(datatype.KindPacked, 1), float64s, true},
		{"of a kind of the face", datatype.ElementOf(datatype.KindFree, 8), datatype.ElementInt32, true},
		{"only the size is known", 8, datatype.ElementInt32, true},
		{"several numbers in an element", datatype.ElementFloat64.Sized(48), float64s, true},
	} {
		require.Equal(t, c.matches, c.a.Matches(c.b), c.name)
		require.Equal(t, c.matches, c.b.Matches(c.a), c.name)
	}
	for _, known := range []datatype.Element{datatype.ElementInt8, datatype.ElementInt16, datatype.ElementInt32,
		datatype.ElementInt64, datatype.ElementFloat32, datatype.ElementComplex128,
		datatype.ElementOf(datatype.KindInteger, 16), datatype.ElementOf(datatype.KindFloat, 16),
		datatype.ElementOf(datatype.KindUnsigned, 2), datatype.ElementOf(datatype.KindUnsigned, 16)} {
		require.Less(t, known.Code(), uint64(1)<<datatype.CodeBits)
		require.Equal(t, known.Numbers(), datatype.ElementOfCode(known.Code()).Numbers(), known)
	}
	for _, unknown := range []datatype.Element{datatype.ElementByte, 12, datatype.ElementOf(datatype.KindInteger, 12)} {
		require.Zero(t, unknown.Code())
	}
	require.Equal(t, datatype.ElementByte, datatype.ElementOfCode(0))
	require.Equal(t, 48, datatype.ElementFloat64.Sized(48).Size())
	require.Equal(t, 16, datatype.ElementComplex128.Size())
	require.Equal(t, "8-byte floating-point numbers", datatype.ElementComplex128.String())
	require.Equal(t, "2-byte integers", datatype.ElementInt16.String())
	require.Equal(t, "4-byte unsigned integers", datatype.ElementOf(datatype.KindUnsigned, 4).String())
	require.Equal(t, "bytes", datatype.Element(12).String())
}
