package sm_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/btl/btltest"
	"github.com/gopvas/gopvas/internal/msg/btl/sm"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
)

// runSurvive is a rank of TestRandomKill.
func runSurvive() error {
	p, err := job.Join()
	if err != nil {
		return err
	}
	if err := p.Memory.Root().Claim(p.Rank, os.Getpid()); err != nil {
		return err
	}
	m, err := sm.New(p.Memory, p.Rank)
	if err != nil {
		return err
	}
	seed, err := strconv.ParseUint(os.Getenv("SEED"), 10, 64)
	if err != nil {
		return err
	}
	return btltest.Survive(m, p.Memory.Root(), p.Rank, seed)
}

// TestRandomKill kills a rank at a random time while all send to all. The others
// must notice, end all that they have open, and still reach one another.
func TestRandomKill(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for round := range 24 {
		mode := []job.SingleCopy{job.SingleCopyAuto, job.SingleCopyNone}[round%2]
		j := jobtest.Start(t, job.Config{
			Ranks: 3, BTL: job.BTLSM, CPUs: 2, Settings: job.Settings{SingleCopy: mode},
		}, "survive", fmt.Sprintf("SEED=%d", rng.Uint64()))
		victim := rng.IntN(3)
		time.Sleep(time.Duration(10+rng.IntN(40)) * time.Millisecond) // any time will do
		require.NoError(t, j.Kill(victim))
		for rank, e := range j.Wait() {
			if rank != victim {
				require.Zero(t, e.Code, "round %d, rank %d: %s", round, rank, e.Stderr)
			}
		}
	}
}
