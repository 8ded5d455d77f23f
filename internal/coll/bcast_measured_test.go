package coll

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/coll/colltest"
	"github.com/gopvas/gopvas/mpi/fault"
)

// The root knows the network, and the others do as it says.
func TestBcastMeasured(t *testing.T) {
	for _, c := range []struct {
		maker colltest.World
		chain bool
	}{{colltest.SlowNodes, true}, {colltest.Worlds[len(colltest.Worlds)-1], false}} {
		require.False(t, c.maker.Shared, c.maker.Name)
		for ranks := 2; ranks <= 9; ranks++ {
			root, rankOf := c.maker.Start(t, ranks, 2)
			for rank, err := range run(t, root, rankOf, func(w *Team) error {
				w.Choice.Blocking[Bcast] = "measured"
				if ranks > 5 && w.takesChain(64<<10) != c.chain {
					return fmt.Errorf("takes the chain: %v", !c.chain)
				}
				for i, n := range []int{1, 4097, 50_001, 64 << 10} {
					want, buf := bytes.Repeat([]byte{byte(i + 1)}, n), make([]byte, n)
					if w.Rank == i%ranks {
						copy(buf, want)
					}
					if err := w.Run(&Args{Kind: Bcast, Root: i % ranks, Send: Buffer{Data: buf},
						Recv: Buffer{Data: buf}}); err != nil {
						return err
					}
					if !bytes.Equal(want, buf) {
						return fmt.Errorf("%d bytes have not come", n)
					}
				}
				return nil
			}) {
				require.NoError(t, err, "%s: rank %d of %d", c.maker.Name, rank, ranks)
			}
		}
	}
}

// When a rank has gone some do not learn which way the vector comes. All that miss it get an error, and none waits
// for ever.
func TestBcastMeasuredAfterDeath(t *testing.T) {
	const ranks = 8
	for dead := range ranks {
		root, rankOf := colltest.SlowNodes.Start(t, ranks, 2)
		for rank, err := range run(t, root, rankOf, func(w *Team) error {
			w.Choice.Blocking[Bcast] = "measured"
			if !w.takesChain(64 << 10) {
				return errors.New("no chain: this tests nothing")
			}
			if w.Rank == dead {
				return errGone
			}
			var all error
			for range 3 {
				all = errors.Join(all, w.Run(simple(Bcast, w, 64<<10)))
			}
			return all
		}) {
			if rank <= dead {
				continue // those before it in the chain have all pieces
			}
			lost, ok := errors.AsType[*fault.LostError](err)
			require.True(t, ok, "%d has gone: rank %d: %v", dead, rank, err)
			require.Equal(t, dead, lost.Rank, "rank %d", rank)
		}
	}
}

// Times of the two ways at bandwidths of 100 Mbit/s, 1 Gbit/s and more, with 25 us a message.
func TestChainPays(t *testing.T) {
	for _, c := range []struct {
		size, bytes int
		bandwidth   float64
		want        bool
	}{
		{8, 16 << 10, 12e6, true}, {8, 16 << 10, 120e6, false}, {8, 16 << 10, 2e9, false},
		{8, 64 << 10, 120e6, true}, {8, 64 << 10, 2e9, false}, {8, 128 << 10, 120e6, true},
		{40, 16 << 10, 12e6, false}, {40, 16 << 10, 0, false}, {3, 64 << 10, 12e6, true},
	} {
		require.Equal(t, c.want, chainPays(c.size, c.bytes, c.bandwidth), "%+v", c)
	}
}
