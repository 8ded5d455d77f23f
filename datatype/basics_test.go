package datatype

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
)

func TestBasicsAreThoseOfThePackedStream(t *testing.T) {
	pairs, err := Vector(2, 1, 3, Float64Int32)
	require.NoError(t, err)
	record, err := Struct([]int64{3, 0, 2, 1}, []int64{0, 8, 16, 100}, []*Type{Int16, Float32, pairs, Byte})
	require.NoError(t, err)
	var names []string
	var counts []int64
	require.True(t, record.Basics(func(count int64, basic *Type) bool {
		if count > 0 {
			names, counts = append(names, basic.String()), append(counts, count)
		}
		return true
	}))
	require.Equal(t, []string{"int16", "float64", "int32", "float64", "int32", "float64", "int32", "float64",
		"int32", "byte"}, names)
	require.Equal(t, []int64{3, 1, 1, 1, 1, 1, 1, 1, 1, 1}, counts)
	calls := 0
	require.False(t, record.Basics(func(int64, *Type) bool { calls++; return calls < 4 }))
	require.Equal(t, 4, calls)
}

func TestBasicsOfRandomTypesHaveTheirSizeAndNumber(t *testing.T) {
	rng := testkit.Rand(t)
	for range 300 {
		made := randomType(rng, 4)
		size, elements := int64(0), int64(0)
		require.True(t, made.Basics(func(count int64, basic *Type) bool {
			size += count * basic.Size()
			elements += count
			return true
		}))
		require.Equal(t, made.Size(), size, made.String())
		require.Equal(t, made.Signature().Elements, elements, made.String())
	}
}
