package main

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/lab/bench/npb"
)

// BenchmarkPIE is figure 19 of the PVAS paper: what it costs each kernel to be position independent. Two builds of
// pvasrun run it by turns, as one process. The ratio is that of the least CPU times of the jobs, which other load
// disturbs least.
func BenchmarkPIE(b *testing.B) {
	modes := []string{"pie", "exe"}
	dir := b.TempDir()
	for _, mode := range modes {
		build := exec.Command("go", "build", "-buildmode="+mode, "-o", filepath.Join(dir, mode), ".")
		out, err := build.CombinedOutput()
		require.NoError(b, err, "%s", out)
	}
	for _, kernel := range npb.Kernels() {
		b.Run("kernel="+kernel, func(b *testing.B) {
			least := map[string]float64{"pie": math.Inf(1), "exe": math.Inf(1)}
			for i := 0; b.Loop(); i++ {
				for j := range modes {
					mode := modes[(i+j)%len(modes)]
					cmd := exec.Command(filepath.Join(dir, mode), "bench", "npb", kernel, "--class", "W", "--btl", "sm",
						"--json")
					cmd.Stderr = os.Stderr
					out, err := cmd.Output()
					require.NoError(b, err)
					var r npb.Result
					require.NoError(b, json.Unmarshal(out, &r))
					require.True(b, r.Verified)
					used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
					least[mode] = min(least[mode], used.Seconds())
				}
			}
			b.ReportMetric(least["pie"]/least["exe"], "ratio")
		})
	}
}
