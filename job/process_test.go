package job_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/job"
	"github.com/gopvas/gopvas/job/jobtest"
)

func TestMain(m *testing.M) {
	jobtest.Main(m, map[string]func() error{
		"rounds":    rounds,
		"survive":   survive,
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

// rounds counts, by window slot 0, the barriers that each rank has entered, and
// checks after each that nobody is behind or more than one ahead.
func rounds() error {
	root, me, err := join()
	if err != nil {
		return err
	}
	for round := range uint64(500) {
		if err := root.PublishWindow(me, 0, 0, round+1); err != nil {
			return err
		}
		if err := root.Barrier(me); err != nil {
			return err
		}
		for peer := range root.Ranks() {
			if _, p := root.Window(peer, 0); p < round+1 || p > round+2 {
				return fmt.Errorf("rank %d after barrier %d: rank %d is at %d", me, round+1, peer, p)
			}
		}
	}
	fmt.Println("pid", root.Pid(me))
	return nil
}

func TestBarriersAcrossProcesses(t *testing.T) {
	for _, ranks := range []int{1, 2, 5} {
		for _, cpus := range []int{1, 64} {
			out := jobtest.Run(t, job.Config{Ranks: ranks, BTL: job.BTLSM, CPUs: cpus}, "rounds")
			require.Len(t, out, ranks)
			for _, line := range out {
				require.Regexp(t, `^pid \d+\n$`, line)
			}
		}
	}
}

// survive does barriers until one fails, and prints which rank has gone. The rank
// VICTIM kills itself while it does so, at an instruction that SEED decides.
func survive() error {
	root, me, err := join()
	if err != nil {
		return err
	}
	var passed atomic.Int64
	if strconv.Itoa(me) == os.Getenv("VICTIM") {
		seed, err := strconv.ParseUint(os.Getenv("SEED"), 10, 64)
		if err != nil {
			return err
		}
		go die(rand.New(rand.NewPCG(seed, 0)), &passed)
	}
	for {
		if err := root.Barrier(me); err != nil {
			lost, ok := errors.AsType[*job.LostError](err)
			if !ok {
				return err
			}
			fmt.Println("lost", lost.Rank)
			return nil
		}
		passed.Add(1)
	}
}

func die(rng *rand.Rand, passed *atomic.Int64) {
	for target := int64(rng.IntN(200)); passed.Load() < target; {
		runtime.Gosched()
	}
	var spin atomic.Int64
	for range rng.IntN(5000) {
		spin.Add(1)
	}
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL) // can not fail
}

// TestSurvivorsNameTheDead: one rank is killed, all others must return from the
// barrier they are in with its name.
func TestSurvivorsNameTheDead(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for i := range 24 {
		ranks := []int{2, 5}[i%2]
		victim := rng.IntN(ranks)
		j := jobtest.Start(t, job.Config{Ranks: ranks, BTL: job.BTLSM, CPUs: []int{1, 64}[i/2%2]}, "survive",
			fmt.Sprintf("VICTIM=%d", victim), fmt.Sprintf("SEED=%d", rng.Uint64()))
		for rank, e := range j.Wait() {
			if rank == victim {
				require.Equal(t, syscall.SIGKILL, e.Signal)
				continue
			}
			require.Zero(t, e.Code, e.Stderr)
			require.Equal(t, fmt.Sprintf("lost %d\n", victim), e.Stdout, "rank %d of %d", rank, ranks)
		}
		lost, ok := j.Memory.Root().Lost()
		require.True(t, ok)
		require.Equal(t, victim, lost)
	}
}

// TestDeathFromOutside kills a rank while all of them sleep in a barrier that it
// keeps from completing: it never joins it.
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
	lost, ok := errors.AsType[*job.LostError](err)
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
	j := jobtest.Start(t, job.Config{Ranks: 1, BTL: job.BTLSM, CPUs: 1}, "rounds")
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
