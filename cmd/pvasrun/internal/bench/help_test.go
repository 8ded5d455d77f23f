package bench

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
)

// The help has a line for each benchmark, in order, that says what it is for.
func TestHelpListsBenchmarks(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, cli.PrintGroup(&out, "pvasrun bench", "", ""))
	list, _, _ := strings.Cut(out.String(), "\n\n")
	var listed []string
	for _, line := range strings.Split(list, "\n")[1:] {
		name, about, _ := strings.Cut(strings.TrimSpace(line), " ")
		require.NotEmpty(t, strings.TrimSpace(about), name)
		listed = append(listed, name)
	}
	require.Equal(t, slices.Sorted(maps.Keys(benchmarks())), listed)
}
