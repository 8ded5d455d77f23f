package loggps

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestOperation: lines between points; the last one goes on, unless it falls.
func TestOperation(t *testing.T) {
	o := Operation{Name: "bcast=tree", Ranks: 2, Points: []OperationPoint{{16, 100}, {32, 200}, {64, 300}}}
	for bytes, want := range map[int64]float64{0: 100, 16: 100, 24: 150, 32: 200, 48: 250, 64: 300, 128: 500} {
		assert.InDelta(t, want, o.At(bytes), 1e-9, "%d bytes", bytes)
	}
	falling := Operation{Points: []OperationPoint{{16, 100}, {32, 50}}}
	assert.InDelta(t, 50, falling.At(1000), 1e-9)
	assert.InDelta(t, 75, falling.At(24), 1e-9)
	one := Operation{Points: []OperationPoint{{0, 7}}}
	assert.InDelta(t, 7, one.At(1<<40), 1e-9)
	assert.Zero(t, (&Operation{}).At(5))
}

// TestOperationsInFiles: they come back as they were, and those that make no sense are refused.
func TestOperationsInFiles(t *testing.T) {
	m := Single(Params{L: 1})
	m.Operations = []Operation{{Name: "barrier=flat", Ranks: 2, Points: []OperationPoint{{0, 250}}}}
	var file bytes.Buffer
	require.NoError(t, m.Write(&file))
	again, err := Read(&file)
	require.NoError(t, err)
	require.Equal(t, m.Operations, again.Operations)
	for _, bad := range []Operation{
		{Name: "x", Ranks: 0, Points: []OperationPoint{{0, 1}}},
		{Name: "x", Ranks: 2},
		{Name: "x", Ranks: 2, Points: []OperationPoint{{8, 1}, {8, 2}}},
		{Name: "x", Ranks: 2, Points: []OperationPoint{{-1, 1}}},
		{Name: "x", Ranks: 2, Points: []OperationPoint{{0, -1}}},
		{Name: "x", Ranks: 2, Points: []OperationPoint{{0, 1e300}}},
		{Name: "x", Ranks: 2, Points: []OperationPoint{{1 << 60, 1}}},
	} {
		m.Operations = []Operation{bad}
		require.ErrorContains(t, m.Validate(), "operation x")
	}
}
