package mpi

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job/jobtest"
)

// exchangeUntilDeath exchanges messages of all lengths in a ring until a neighbour is
// lost; the last rank kills itself meanwhile.
func exchangeUntilDeath(c *Comm) error {
	if err := lastDies(c); err != nil {
		return err
	}
	left, right := ring(c)
	for i := 0; ; i++ {
		n := []int{1, 100_000, 10, 1_000_000, 1000}[i%5]
		_, err := Sendrecv(c, make([]int32, n), right, 0, make([]int32, n), left, 0)
		if _, ok := errors.AsType[*LostError](err); ok {
			return reportLost(c, err)
		}
		if err != nil {
			return err
		}
	}
}

// lastDies has the last rank kill itself after LIFE microseconds.
func lastDies(c *Comm) error {
	if c.Rank() != c.Size()-1 {
		return nil
	}
	us, err := strconv.Atoi(os.Getenv("LIFE"))
	if err != nil {
		return err
	}
	time.AfterFunc(time.Duration(us)*time.Microsecond, func() {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	})
	return nil
}

// reportLost says whom this rank has lost, and leaves as one that cannot go on.
func reportLost(c *Comm, err error) error {
	lost, _ := errors.AsType[*LostError](err)
	fmt.Print(lost.Rank)
	os.Exit(3) // without Finalize: the neighbours wait for this rank
	return nil
}

// TestKilledAtARandomPoint kills one of three processes in the middle of an exchange:
// each of the others gets an error that names it, or the one that had it first.
func TestKilledAtARandomPoint(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 12 {
		life := rng.IntN(40_000)
		for rank, e := range jobtest.Start(t, smJob(3), "until death", fmt.Sprintf("LIFE=%d", life)).Wait() {
			if rank == 2 {
				require.Equal(t, syscall.SIGKILL, e.Signal, e.Stderr)
				continue
			}
			require.Equal(t, 3, e.Code, "life %d us: rank %d: %s", life, rank, e.Stderr)
			require.Contains(t, []string{"2", strconv.Itoa(1 - rank)}, e.Stdout)
		}
	}
}
