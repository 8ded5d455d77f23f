package launcher

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/limits"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher/internal/launchertest"
	"github.com/gopvas/gopvas/pvas"
)

// What is chosen is the limit of the ranks, and of what they start, in both task models. The limit of this
// process is as before.
func TestStackSize(t *testing.T) {
	launchertest.EachStackSize(t, func(t *testing.T, btl string, size uint64) string {
		j := ranks(btl, 2, "sh", "ulimit -s")
		j.StackSize = size
		out := run(t, j)
		require.NoError(t, out.err, out.stderr)
		return out.stdout
	})
}

// Jobs that are planned beside others have their own stacks, and leave the limit of this process as it was.
func TestStacksBesideOthers(t *testing.T) {
	if err := pvas.Supported(); err != nil || sys.HardLimit(sys.RlimitStack) < 64<<20 {
		t.Skip("no stacks of several sizes in one address space", err)
	}
	before := sys.SoftLimit(sys.RlimitStack)
	var wg sync.WaitGroup
	for size := uint64(1 << 20); size <= 64<<20; size *= 2 {
		wg.Go(func() {
			for range 5 {
				j := ranks(btlPvas, 2, "true")
				j.StackSize = size
				plan, err := DryRun(context.Background(), j)
				if assert.NoError(t, err) {
					assert.Equal(t, size, plan.Ranks[1].Layout.Stack.Len())
				}
			}
		})
	}
	wg.Wait()
	require.Equal(t, before, sys.SoftLimit(sys.RlimitStack))
}

func TestStackIsRefused(t *testing.T) {
	for size, cause := range map[uint64]string{
		limits.LeastStack - 1: "launcher: job: a stack of 262143 bytes is too small: take 256 KiB or more",
		1:                     "is too small",
	} {
		j := ranks(btlSM, 1, "true")
		j.StackSize = size
		require.ErrorContains(t, run(t, j).err, cause)
	}
}
