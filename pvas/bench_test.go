package pvas

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkCPUBound compares a program loaded into a partition with the same
// program started by exec, by the CPU time that each uses from start to end. The
// runs alternate; ratio is that of the fastest, which other load disturbs least.
func BenchmarkCPUBound(b *testing.B) {
	s := newSpace(b, 1)
	var loaded, executed []float64
	for b.Loop() {
		out, err := exec.Command(goProgram(), "compute").Output()
		require.NoError(b, err)
		executed = append(executed, nanoseconds(b, string(out)))
		loaded = append(loaded, nanoseconds(b, computeTask(b, s)))
	}
	b.ReportMetric(slices.Min(loaded)/slices.Min(executed), "ratio")
}

func computeTask(b *testing.B, s *Space) string {
	r, w, err := os.Pipe()
	require.NoError(b, err)
	task, err := s.Spawn(TaskSpec{Path: goProgram(), Args: []string{"prog", "compute"}, Env: os.Environ(), Stdout: w})
	require.NoError(b, err)
	require.NoError(b, w.Close())
	out, err := io.ReadAll(r)
	require.NoError(b, err)
	require.NoError(b, r.Close())
	_, err = task.Wait()
	require.NoError(b, err)
	return string(out)
}

func nanoseconds(b *testing.B, out string) float64 {
	first, _, _ := strings.Cut(out, " ")
	ns, err := strconv.ParseFloat(first, 64)
	require.NoError(b, err, out)
	return ns
}

// BenchmarkSpawn starts tasks that end at once, and waits for them.
func BenchmarkSpawn(b *testing.B) {
	for _, n := range []int{1, 16} {
		b.Run(fmt.Sprintf("tasks=%d", n), func(b *testing.B) {
			s := newSpace(b, n)
			for b.Loop() {
				tasks := make([]*Task, n)
				for i := range tasks {
					var err error
					tasks[i], err = s.Spawn(TaskSpec{Path: goProgram(), Args: []string{"prog", "exit", "0"},
						Env: []string{"GOMAXPROCS=1"}, Partition: i})
					require.NoError(b, err)
				}
				for _, t := range tasks {
					_, err := t.Wait()
					require.NoError(b, err)
				}
			}
		})
	}
}
