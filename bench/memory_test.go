package bench

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What a job needs is told before, also for lengths that no machine has.
func TestMemoryOfJobs(t *testing.T) {
	for benchmark, want := range map[string]float64{
		"pingpong": 2 * 2 * 1e6, "allreduce": 4 * 2 * 2 * 1e6, "barrier": 0, "halo": 2 * 1e6,
	} {
		c := TimedConfig{Benchmark: benchmark, Ranks: 2, Sizes: []int{8, 1e6}}
		require.Equal(t, want, c.Memory(), benchmark)
	}
	c := TimedConfig{Benchmark: "alltoall", Ranks: 1 << 16, Goroutines: 1 << 10, Sizes: []int{1 << 62}}
	require.Greater(t, c.Memory(), 1e20)
}

// A rank that gets no memory is told in one line, other failures with all that was written.
func TestNoMemoryIsOneLine(t *testing.T) {
	for _, output := range []string{
		"fatal error: runtime: out of memory\n\nruntime stack:\nruntime.throw",
		"runtime: out of memory: cannot allocate 72000001277952-byte block (3932160 in use)\nfatal error: out of " +
			"memory\n\ngoroutine 1",
		"panic: runtime error: makeslice: len out of range\n\ngoroutine 1 [running]:",
	} {
		err := &JobError{Code: 2, Output: output}
		require.Regexp(t,
			`^exit code 2: a rank got no memory for its buffers \(.*\): choose shorter messages or fewer ranks$`,
			err.Error())
	}
	require.Equal(t, "exit code 3\nrank 0: lost\nline", (&JobError{3, "rank 0: lost\nline"}).Error())
}
