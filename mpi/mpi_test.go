package mpi

import (
	"fmt"
	"math"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
)

func smJob(ranks int) job.Config { return job.Config{Ranks: ranks, BTL: job.BTLSM, CPUs: 2} }

var sizes = []int{1, 2, 5}

func TestWholeLife(t *testing.T) {
	self, err := os.Executable() // between processes that is the program, whatever pvasrun has started
	require.NoError(t, err)
	for _, ranks := range sizes {
		for rank, out := range jobtest.Run(t, smJob(ranks), "whole life") {
			require.Equal(t, fmt.Sprintf("%d of %d, %s\n", rank, ranks, self), out)
		}
	}
}

func TestAloneIsAJobOfOne(t *testing.T) {
	e := jobtest.Alone(t, "whole life", "PVAS_RANK=3", "PVAS_SIZE=nonsense", "PVAS_PROGRAM=/of/another")
	require.Zero(t, e.Code, e.Stderr)
	require.Regexp(t, `^0 of 1, /.*\.test\n$`, e.Stdout)
	require.Zero(t, jobtest.Alone(t, "shared windows").Code)
	require.Zero(t, jobtest.Alone(t, "own window").Code)
}

func TestSharedWindows(t *testing.T) {
	for _, ranks := range sizes {
		jobtest.Run(t, smJob(ranks), "shared windows")
	}
}

// What is left at the end is told with the line that has made it.
func TestLeftWindowsAreNamed(t *testing.T) {
	e := jobtest.Alone(t, "leaves windows")
	require.Zero(t, e.Code)
	require.Regexp(t, `^rank 0: finalize: warning: windows not freed: 2, the first made at programs_test.go:\d+\n$`,
		e.Stderr)
}

func TestOneRankFailsToAllocate(t *testing.T) {
	out := jobtest.Run(t, smJob(3), "too much")
	want := fmt.Sprintf("window: make: rank 2: no room left for shared memory: %d bytes (", math.MaxInt64)
	for _, line := range out[:2] {
		require.Contains(t, line, want)
	}
	require.Contains(t, out[2], "no room left for shared memory")
}

func TestMisuse(t *testing.T) {
	jobtest.Run(t, smJob(2), "stranger")
}

func TestSurvivorsNameTheDead(t *testing.T) {
	for _, ranks := range []int{2, 5} {
		for rank, e := range jobtest.Start(t, smJob(ranks), "suicide").Wait() {
			if rank == ranks-1 {
				require.Equal(t, syscall.SIGKILL, e.Signal)
				continue
			}
			require.Zero(t, e.Code, e.Stderr)
			require.Regexp(t, fmt.Sprintf(`^mpi: barrier: rank %d has gone \(\w+\.go:\d+\)\n$`, ranks-1), e.Stdout)
		}
	}
}

func TestMemoryOutlivesItsOwner(t *testing.T) {
	jobtest.Run(t, smJob(3), "early leaver")
}

func TestAbort(t *testing.T) {
	j := jobtest.Start(t, smJob(3), "abort")
	exits := j.Wait()
	require.Equal(t, 77, exits[0].Code)
	require.Regexp(t, `^rank 0: Abort at \w+_test\.go:\d+: ends the job with error code 77\n$`, exits[0].Stderr)
	require.Zero(t, exits[1].Code)
	require.Regexp(t, `: ends the job with error code 0\n$`, exits[1].Stderr)
	require.Equal(t, 1, exits[2].Code, "0 would pass for success")
	require.Regexp(t, `: ends the job with error code 256, exit code 1\n$`, exits[2].Stderr)
	require.Empty(t, exits[0].Stdout)
	require.Equal(t, job.StateAborted, j.Memory.Root().State(0))
}

func TestRunReportsAndExits(t *testing.T) {
	j := jobtest.Start(t, smJob(2), "fails")
	exits := j.Wait()
	require.Zero(t, exits[0].Code)
	require.Equal(t, 1, exits[1].Code)
	require.Equal(t, "rank 1: the sky is falling\n", exits[1].Stderr)
	require.Equal(t, job.StateFinal, j.Memory.Root().State(0))
	require.Equal(t, job.StateAborted, j.Memory.Root().State(1))
}

func TestInitRefusesAGarbledEnvironment(t *testing.T) {
	for _, c := range []struct{ env, want string }{
		{"PVAS_JOB=fd:900", "bad file descriptor"},
		{"PVAS_JOB=addr:0x1000", "does not have the job's memory"},
		{"PVAS_JOB=3", `PVAS_JOB="3": is neither`},
	} {
		e := jobtest.Alone(t, "nothing", "PVAS_RANK=0", "PVAS_SIZE=1", c.env)
		require.Equal(t, 1, e.Code)
		require.Contains(t, e.Stderr, "rank 0: mpi: init: job: join")
		require.Contains(t, e.Stderr, c.want)
	}
}

func TestChildrenOfARankAreJobsOfTheirOwn(t *testing.T) {
	for _, out := range jobtest.Run(t, smJob(2), "child") {
		require.Equal(t, "0 1 true\n", out)
	}
}

func TestHoldPoints(t *testing.T) {
	c := smJob(3)
	c.Hold = true
	j := jobtest.Start(t, c, "nothing")
	root := j.Memory.Root()
	require.NoError(t, root.AwaitHold(t.Context(), job.HoldInit))
	require.Equal(t, job.StateInit, root.State(1))
	require.Positive(t, root.Pid(1))
	root.Release(job.HoldInit)
	require.NoError(t, root.AwaitHold(t.Context(), job.HoldFinalize))
	require.Equal(t, job.StateInit, root.State(1), "stopped before the end")
	root.Release(job.HoldFinalize)
	for rank, e := range j.Wait() {
		require.Zero(t, e.Code, "rank %d: %s", rank, e.Stderr)
		require.Equal(t, job.StateFinal, root.State(rank))
	}
}

func TestDeathAtAHoldPoint(t *testing.T) {
	c := smJob(3)
	c.Hold = true
	j := jobtest.Start(t, c, "nothing")
	root := j.Memory.Root()
	require.NoError(t, root.AwaitHold(t.Context(), job.HoldInit))
	root.Release(job.HoldInit)
	require.NoError(t, root.AwaitHold(t.Context(), job.HoldFinalize))
	require.NoError(t, j.Kill(0))
	for rank, e := range j.Wait() {
		if rank != 0 {
			require.Equal(t, 1, e.Code)
			require.Regexp(t, fmt.Sprintf(`^rank %d: mpi: finalize: rank 0 has gone \(\w+\.go:\d+\)\n$`, rank),
				e.Stderr)
		}
	}
}
