package npb

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestResult(t *testing.T) {
	r := Result{Benchmark: "XX", Class: A, Size: []int{256, 256, 128}, Iterations: 6, Ranks: 4,
		Operation: "floating point",
		Checks:    []Comparison{{"norm", 1.0000001, 1, 1e-6}}}
	good := newResult(r, 2, 6e6)
	require.True(t, good.Verified)
	require.Equal(t, 3.0, good.Mops)
	var out strings.Builder
	_, err := good.WriteTo(&out)
	require.NoError(t, err)
	require.Equal(t, `

 XX Benchmark Completed.
 Class           =                        A
 Size            =            256x 256x 128
 Iterations      =                        6
 Time in seconds =                   2.0000
 Total processes =                        4
 Mop/s total     =                     3.00
 Mop/s/process   =                     0.75
 Operation type  =           floating point
 Verification    =               SUCCESSFUL
`, out.String())

	for _, value := range []float64{1.00001, -1, math.NaN(), math.Inf(1)} {
		r.Checks[0].Value = value
		bad := newResult(r, 2, 6e6)
		require.False(t, bad.Verified, value)
		out.Reset()
		_, err := bad.WriteTo(&out)
		require.NoError(t, err)
		require.Contains(t, out.String(), "UNSUCCESSFUL")
		require.Contains(t, out.String(), "norm is")
	}
	r.Checks = nil
	require.False(t, newResult(r, 2, 6e6).Verified, "what is not compared is not verified")
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name  string
		class Class
		ranks int
		says  string // "": allowed
	}{
		{"is", S, 128, ""},
		{"is", S, 256, "128 at most"},
		{"is", A, 256, ""},
		{"is", A, 3, "power of two"},
		{"is", A, 0, "power of two"},
		{"is", A, -4, "power of two"},
		{"ep", S, 3, ""},
		{"ep", S, 256, ""},
		{"ep", S, 257, "256 batches"},
		{"ep", S, 0, "batches"},
		{"ft", W, 32, ""},
		{"ft", W, 64, "32 at most"},
		{"ft", S, 6, "power of two"},
		{"cg", S, 12, "power of two"},
		{"cg", S, 1024, ""},
		{"cg", S, 2048, "1400 at most"},
		{"mg", S, 24, "power of two"},
		{"mg", S, 4096, ""},
		{"mg", S, 8192, "4096 at most"},
		{"is", "D", 4, "choose S, W, A, B or C"},
		{"bt", S, 4, "there is no benchmark"},
	} {
		err := Check(c.name, c.class, c.ranks)
		if c.says == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, c.says)
	}
}
