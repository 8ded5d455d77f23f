package npb

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseResult(t *testing.T) {
	r := newResult(Result{Benchmark: "XX", Class: W, Size: []int{7}, Iterations: 3, Ranks: 8, Operation: "things done",
		Checks: []Comparison{{"a", 1, 1, 0}}}, 0.5, 1e6)
	var text bytes.Buffer
	_, err := r.WriteTo(&text)
	require.NoError(t, err)
	whole := text.String()
	got, err := ParseResult(&text)
	require.NoError(t, err)
	r.Size, r.Checks = nil, nil
	require.Equal(t, r, got)

	got, err = ParseResult(strings.NewReader(strings.Replace(whole, " SUCC", "UNSUCC", 1)))
	require.NoError(t, err)
	require.False(t, got.Verified)
	for _, missing := range []string{"Completed", "Class", "Mop/s total", "0.5000", "Iterations"} {
		_, err := ParseResult(strings.NewReader(strings.Replace(whole, missing, "?", 1)))
		require.Error(t, err, missing)
	}
}

func FuzzParseResult(f *testing.F) {
	f.Add(
		[]byte(" IS Benchmark Completed\n Class = A\n Iterations = 10\n Total processes = 4\n Time in seconds = " +
			"0.10\n Mop/s total = 822.52\n"))
	f.Add([]byte("= =\n Benchmark Completed.\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := ParseResult(bytes.NewReader(text))
		if err == nil {
			require.NotEmpty(t, r.Benchmark)
			require.NotEmpty(t, r.Class)
		}
	})
}
