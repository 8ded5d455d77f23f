package coll

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/coll/colltest"
)

// A broadcast between nodes goes down a chain sooner than one between ranks of a node does, and in
// shorter pieces.
func TestChainBetweenNodes(t *testing.T) {
	nodes := slices.IndexFunc(colltest.Worlds, func(w colltest.World) bool { return w.Name == "nodes" })
	root, rankOf := colltest.Worlds[nodes].Start(t, 4, 4)
	for rank, err := range run(t, root, rankOf, func(w *Team) error {
		far, near := inOrder(w, []int32{3, 0, 1}, 13), inOrder(w, []int32{2, 0}, 15)
		if far.Rank >= 0 {
			if err := errors.Join(bcast(far, 4<<10, "binomial"), bcast(far, 48<<10, "binomial"),
				bcast(far, 48<<10+1, "chain"), bcast(far, 1<<20, "chain")); err != nil {
				return err
			}
			if p := chainPiece(far, 16<<10); p != 4<<10 {
				return fmt.Errorf("pieces of %d bytes of 16 KiB", p)
			}
			if p := chainPiece(far, 512<<10); p != 32<<10 {
				return fmt.Errorf("pieces of %d bytes of 512 KiB", p)
			}
		}
		if near.Rank >= 0 {
			if p := chainPiece(near, 16<<10); p != 0 {
				return fmt.Errorf("pieces of %d bytes on a node", p)
			}
		}
		return nil
	}) {
		require.NoError(t, err, "rank %d", rank)
	}
}

// bcast makes a call and finds out whether it was done well, and by which algorithm.
func bcast(t *Team, length int, want string) error {
	data, buf := bytes.Repeat([]byte("abc"), length), make([]byte, length)
	if t.Rank == 1 {
		copy(buf, data)
	}
	if err := t.Run(&Args{Kind: Bcast, Root: 1, Send: Buffer{Data: buf}, Recv: Buffer{Data: buf}}); err != nil {
		return err
	}
	if t.Last() != want || !bytes.Equal(buf, data[:length]) {
		return fmt.Errorf("%d bytes by %s, right: %v", length, t.Last(), bytes.Equal(buf, data[:length]))
	}
	return nil
}

// chainPiece is the length of the pieces in which a chain sends so many bytes; 0: as ever.
func chainPiece(t *Team, length int) int {
	b := newBuilder(t, Args{Kind: Bcast, Send: Buffer{Data: make([]byte, length)}})
	graphBcastChain(b)
	return b.piece
}
