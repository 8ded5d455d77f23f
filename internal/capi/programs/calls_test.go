package programs

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/pvas"
)

// Calls that change the areas of an address space take one lock, in one address space that of all ranks. So ranks make
// few at their start and end, and none while they communicate.
func TestFewCallsChangeAreas(t *testing.T) {
	if err := pvas.Supported(); err != nil {
		t.Skip(err)
	}
	seconds := "1"
	if testkit.Long() {
		seconds = "10"
	}
	for _, c := range []struct {
		language, program string
		most              int
	}{
		{"Go", goPrograms.Build(t, "./testdata/steady"), 40},
		{"C", build(t, "steady.c"), 60},
	} {
		t.Run(c.language, func(t *testing.T) {
			all := testkit.CountCalls(t, tool("mpiexec"), "-n", "4", "--btl", "pvas", "--timeout", "120", c.program,
				seconds)
			require.Len(t, all, 4)
			least := c.most + 1
			for _, calls := range all {
				const start, steady, end = 0, 2, 3
				assert.Zero(t, calls[steady], "while ranks communicate")
				least = min(least, calls[start]+calls[end])
			}
			// The least of the ranks: where a tracer makes it slow a runtime starts a thread more, of three calls in C.
			assert.LessOrEqual(t, least, c.most)
			t.Log(all)
		})
	}
}
