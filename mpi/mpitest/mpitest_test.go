package mpitest_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/mpi"
	"github.com/gopvas/gopvas/mpi/mpitest"
)

func TestMain(m *testing.M) { mpitest.Main(m) }

// ring passes each rank's number to the next one.
func ring(t *testing.T, world *mpi.Comm) {
	n, me := world.Size(), world.Rank()
	got := []int{-1}
	_, err := mpi.Sendrecv(world, []int{me}, (me+1)%n, 1, got, (me+n-1)%n, 1)
	require.NoError(t, err)
	require.Equal(t, (me+n-1)%n, got[0])
}

// A test may call Run several times, in subtests too, and goes on behind it.
func TestRun(t *testing.T) {
	t.Parallel()
	behind := 0
	mpitest.Run(t, 3, ring)
	behind++
	mpitest.Run(t, 2, func(t *testing.T, world *mpi.Comm) {
		require.Equal(t, 2, world.Size())
		t.Parallel()
		t.Logf("here is rank %d", world.Rank())
		ring(t, world)
	})
	behind++
	for _, n := range []int{1, 4} {
		t.Run("a.b*", func(t *testing.T) { // the second is called a.b*#01
			mpitest.Run(t, n, func(t *testing.T, world *mpi.Comm) {
				require.Equal(t, n, world.Size())
				ring(t, world)
			})
			behind++
		})
	}
	if os.Getenv("PVAS_RANK") == "" { // a rank goes on behind its subtest
		require.Equal(t, 4, behind)
	}
}

// Each seed is a subtest, with ranks of its own.
func TestRunDelayed(t *testing.T) {
	t.Parallel()
	mpitest.RunDelayed(t, 2, 2, func(t *testing.T, world *mpi.Comm) {
		c, err := world.Dup()
		require.NoError(t, err)
		for range 20 {
			ring(t, c)
		}
		require.NoError(t, c.Free())
	})
	require.Empty(t, os.Getenv("PVAS_RANK"), "a rank goes on behind its call")
}

const envMistake = "MPITEST_MISTAKE"

// TestMistakes runs itself as a test that fails.
func TestMistakes(t *testing.T) {
	for mistake, want := range map[string][]string{
		"fatal":    {"mpitest_test.go", "one is wrong", "exit code 1"},
		"panic":    {"rank 0: panic: oh", "exit code 2"},
		"finalize": {"requests left: 1"},
		"deadlock": {"exit code 124", "waits for rank 0, tag 1", "circle: rank 0 waits for rank 1"},
		"nobody":   {"ranks [0 1] have not come to this call of Run"},
		"abort":    {"have ended in this call of Run with code 0"},
		"nil":      {"the function is nil"},
		"nested":   {"a rank has called it"},
		"late":     {"one is wrong", "TestOfMistakes/of/seed=2/sm"},
		"seedless": {"0 seeds: at least one is needed"},
		"none":     nil,
	} {
		t.Run(mistake, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0], "-test.run=^TestOfMistakes$/^of$")
			if mistake == "deadlock" {
				cmd.Args = append(cmd.Args, "-test.timeout=10s")
			}
			cmd.Env = append(os.Environ(), envMistake+"="+mistake)
			out, err := cmd.CombinedOutput()
			require.Equal(t, mistake != "none", err != nil, "%s", out)
			for _, text := range want {
				require.Contains(t, string(out), text)
			}
		})
	}
}

// TestOfMistakes is run by TestMistakes.
func TestOfMistakes(t *testing.T) {
	mistake := os.Getenv(envMistake)
	if mistake == "" {
		t.Skip("it fails")
	}
	t.Run("of", func(t *testing.T) {
		if mistake == "nobody" && os.Getenv("PVAS_RANK") != "" {
			return
		}
		if mistake == "nil" {
			mpitest.Run(t, 2, nil)
		}
		if mistake == "seedless" {
			mpitest.RunDelayed(t, 2, 0, ring)
		}
		if mistake == "late" {
			mpitest.RunDelayed(t, 2, 3, func(t *testing.T, world *mpi.Comm) {
				ring(t, world)
				if strings.Contains(t.Name(), "/seed=2/") {
					t.Fatal("one is wrong")
				}
			})
			return
		}
		mpitest.Run(t, 2, func(t *testing.T, world *mpi.Comm) {
			switch me := world.Rank(); mistake {
			case "abort":
				world.Abort(0)
			case "nested":
				mpitest.Run(t, 2, ring)
			case "fatal":
				if me == 1 {
					t.Fatal("one is wrong")
				}
				_ = world.Barrier()
			case "panic":
				if me == 0 {
					panic("oh")
				}
				_ = world.Barrier()
			case "finalize":
				_, err := mpi.Irecv(world, []int{0}, 1-me, 1)
				require.NoError(t, err)
			case "deadlock":
				_, err := mpi.Recv(world, []int{0}, 1-me, 1)
				require.NoError(t, err)
			default:
				ring(t, world)
			}
		})
	})
}
