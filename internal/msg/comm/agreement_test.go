package comm

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
)

// TestIdsAreUsedUp: the error is for all, names the leader, and only for those that it
// was to lead.
func TestIdsAreUsedUp(t *testing.T) {
	overMem(t, 3, 2, mem.Options{}, func(c *Comm) error {
		if c.Rank() == 0 {
			c.contexts.own.next = c.contexts.own.end
		}
		_, err := c.Dup()
		if err := wantContains(err, "rank 0 has been rank 0 of too many communicators"); err != nil {
			return err
		}
		r, err := c.Split(0, -c.Rank()) // rank 2 leads
		if err != nil {
			return err
		}
		return r.Barrier()
	})
}

func TestIdsDoNotOverlap(t *testing.T) {
	for _, size := range []int{1, 2, 3, 64, 1000, 4096} {
		last := uint32(worldID)
		for rank := range size {
			c := newContexts(rank, size)
			require.Greater(t, c.own.next, last, "rank %d of %d", rank, size)
			require.Greater(t, c.own.end-c.own.next, uint32(1)<<15)
			require.Less(t, c.own.end-1, uint32(1)<<idBits)
			last = c.own.end - 1
		}
	}
	c := newContexts(0, 1)
	a, b := uint32(c.take()), uint32(c.take())
	c.give(uint64(a))
	require.NotEqual(t, a, b)
	require.Equal(t, a, uint32(c.take()), "what nobody used is taken again")
	require.NotContains(t, []uint32{a, b, worldID}, uint32(c.take()))
}

func TestACommunicatorWithoutAnIDIsPending(t *testing.T) {
	overMem(t, 1, 1, mem.Options{}, func(c *Comm) error {
		n := c.withoutID(c.membership)
		require.ErrorIs(t, Send(n, Standard, []byte{1}, 1, 0, 0), ErrPending)
		require.ErrorIs(t, n.Barrier(), ErrPending)
		n.setID(c.contexts.take())
		return first(n.Barrier(), n.Free())
	})
}
