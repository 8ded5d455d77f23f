package comm

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/msg/coll"
)

func TestGraphTopology(t *testing.T) {
	overMem(t, 5, 2, mem.Options{}, func(c *Comm) error {
		index, edges := []int{2, 3, 4, 6}, []int{1, 3, 0, 3, 0, 2} // MPI 4.1, example 8.3
		g, err := GraphCreate(c, index, edges)
		if c.Rank() == 4 {
			if g != nil || err != nil {
				return fmt.Errorf("a rank that is no node got %v, %v", g, err)
			}
			return nil
		}
		if err != nil {
			return err
		}
		want := [][]int{{1, 3}, {0}, {3}, {0, 2}}
		for rank := range want {
			if got, err := g.Neighbors(rank); err != nil || !slices.Equal(got, want[rank]) {
				return fmt.Errorf("neighbours of %d: %v, %v", rank, got, err)
			}
		}
		d, err := g.Comm.Dup()
		if err != nil {
			return err
		}
		copied, ok := GraphOf(d)
		i, e := copied.Edges()
		if !ok || !slices.Equal(i, index) || !slices.Equal(e, edges) {
			return fmt.Errorf("the copy has %v, %v", i, e)
		}
		var in []Buffer
		err = NewNeighborCall(d, "allgather", func(o, i []coll.Edge) error {
			for k := range o {
				o[k].Data, i[k].Data = Bytes([]byte{byte(c.Rank())}), Bytes(make([]byte, 1))
				in = append(in, i[k].Data)
			}
			return nil
		}).Run()
		for k, b := range in {
			if int(b.Bytes[0]) != want[c.Rank()][k] {
				return fmt.Errorf("got %d as neighbour %d", b.Bytes[0], k)
			}
		}
		return first(err, d.Free(), g.Comm.Free())
	})
	for _, bad := range [][2][]int{{{2}, {0}}, {{1, 0}, {0}}, {{1}, {1}}, {{1, 1, 1}, {0}}} {
		require.Error(t, checkWholeGraph(bad[0], bad[1], 2), "%v", bad)
	}
}
