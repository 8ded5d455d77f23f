package job_test

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
	"github.com/gopvas/gopvas/mpi/fault"
)

func TestMain(m *testing.M) {
	jobtest.Main(m, map[string]func() error{
		"claim":     claim,
		"hold":      hold,
		"elsewhere": elsewhere,
	})
}

// join takes the place that the environment says.
func join() (*job.Root, int, error) {
	p, err := job.Join()
	if err != nil {
		return nil, 0, err
	}
	root := p.Memory.Root()
	return root, p.Rank, root.Claim(p.Rank, os.Getpid())
}

// claim is a rank, which says its pid.
func claim() error {
	root, me, err := join()
	if err == nil {
		fmt.Println("pid", root.Pid(me))
	}
	return err
}

func TestRanksAreProcesses(t *testing.T) {
	for _, line := range jobtest.Run(t, job.Config{Ranks: 3, BTL: job.BTLSM, CPUs: 1}, "claim") {
		require.Regexp(t, `^pid \d+\n$`, line)
	}
}

// TestDeathFromOutside kills a rank while all of them sleep at a hold point: it
// never goes on.
func TestDeathFromOutside(t *testing.T) {
	j := jobtest.Start(t, job.Config{Ranks: 3, BTL: job.BTLSM, CPUs: 1, Hold: true}, "hold")
	root := j.Memory.Root()
	require.NoError(t, root.AwaitHold(t.Context(), job.HoldInit))
	require.NoError(t, j.Kill(1))
	for rank, e := range j.Wait() {
		if rank != 1 {
			require.Equal(t, 1, e.Code)
			require.Contains(t, e.Stderr, "hold at init: rank 1 has gone")
		}
	}
	err := root.AwaitHold(t.Context(), job.HoldFinalize)
	lost, ok := errors.AsType[*fault.LostError](err)
	require.True(t, ok, err)
	require.Equal(t, 1, lost.Rank)
}

func hold() error {
	root, _, err := join()
	if err != nil {
		return err
	}
	if err := root.Reach(job.HoldInit); err != nil {
		return err
	}
	return root.Reach(job.HoldFinalize)
}

func TestHoldAcrossProcesses(t *testing.T) {
	j := jobtest.Start(t, job.Config{Ranks: 5, BTL: job.BTLSM, CPUs: 2, Hold: true}, "hold")
	for _, h := range []job.Hold{job.HoldInit, job.HoldFinalize} {
		require.NoError(t, j.Memory.Root().AwaitHold(t.Context(), h))
		j.Memory.Root().Release(h)
	}
	for rank, e := range j.Wait() {
		require.Zero(t, e.Code, "rank %d: %s", rank, e.Stderr)
	}
}

func TestTwoProcessesCanNotBeOneRank(t *testing.T) {
	j := jobtest.Start(t, job.Config{Ranks: 1, BTL: job.BTLSM, CPUs: 1}, "claim")
	require.Zero(t, j.Wait()[0].Code)
	require.ErrorIs(t, j.Memory.Root().Claim(0, os.Getpid()), job.ErrClaimed)
}

// elsewhere joins by an address of the process that started this one.
func elsewhere() error {
	if err := os.Setenv(job.EnvJob, os.Getenv("ADDRESS")); err != nil {
		return err
	}
	_, err := job.Join()
	return err
}

// TestAnotherAddressSpaceIsRefused: a rank in one address space may start a program
// that has one of its own and inherits the rank's environment.
func TestAnotherAddressSpaceIsRefused(t *testing.T) {
	m, err := job.Create(job.Config{Ranks: 1, BTL: job.BTLPvas, CPUs: 1})
	require.NoError(t, err)
	defer m.Close()
	e := jobtest.Start(t, job.Config{Ranks: 1, BTL: job.BTLSM, CPUs: 1}, "elsewhere",
		fmt.Sprintf("ADDRESS=addr:%#x", m.Addr())).Wait()[0]
	require.Equal(t, 1, e.Code)
	require.Contains(t, e.Stderr, "use pvasrun --btl sm")
}
