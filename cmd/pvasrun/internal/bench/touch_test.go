package bench

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/lab/bench/memory"
)

// A cell of the whole machine that noise has spoilt is empty; the job's own totals, and
// their ratio, are there.
func TestPrintTouch(t *testing.T) {
	seen, grown := int64(3_700), int64(41_000)
	results := []memory.TouchResult{
		{BTL: "pvas", Ranks: 8, PageTableKiB: 600, PageTableGrowthKiB: 32, ModelKiB: 32, Seconds: 0.25},
		{BTL: "sm", Ranks: 8, PageTableKiB: 1_200, PageTableGrowthKiB: 256, ModelKiB: 256, MachineTableKiB: &seen,
			MemoryGrowthKiB: &grown, Seconds: 0.5},
	}
	var b strings.Builder
	require.NoError(t, printTouch(&b, memory.TouchConfig{Bytes: 2 << 20, BTLs: []string{"pvas", "sm"}}, results))
	lines := strings.Split(b.String(), "\n")
	require.Equal(t,
		strings.Fields("ranks pvas tables growth model machine memory seconds sm tables growth model machine memory "+
			"seconds sm/pvas tables growth"), strings.Fields(lines[1]))
	require.Equal(t, strings.Fields("8 600 32 32 - - 0.25 1200 256 256 3700 41000 0.50 2.0 8.0"),
		strings.Fields(lines[2]))
}
