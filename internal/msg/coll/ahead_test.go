package coll

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/coll/board"
	"github.com/gopvas/gopvas/internal/msg/coll/colltest"
	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/mpi/fault"
)

// TestSlotsInOrder: all get what the roots have sent, also where these get ahead of the
// others by as many calls as there are slots, and calls of other kinds come in between.
func TestSlotsInOrder(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	const ranks, calls, slotsLong = 5, 2000, 1000
	root, rankOf := colltest.Worlds[1].Start(t, ranks, 2)
	ahead := make(chan struct{})
	for rank, err := range run(t, root, rankOf, func(w *Team) error {
		same := rand.New(rand.NewPCG(seed, 1))
		own := rand.New(rand.NewPCG(seed, uint64(w.Rank)+2))
		buf := make([]byte, slotsLong)
		if err := w.Barrier(); err != nil { // makes the board
			return err
		}
		if w.Rank != 3 {
			<-ahead // nobody else is there
		}
		for i := range uint64(calls) {
			if w.Rank == 3 && i == board.MostPieces {
				close(ahead)
			}
			from := int(same.Uint64() % ranks)
			if i%1000 < 500 {
				from = 3 // a root that does not change
			}
			other := i > board.MostPieces && same.IntN(100) == 0
			for range own.IntN(3) {
				runtime.Gosched()
			}
			if w.Rank == from {
				binary.LittleEndian.PutUint64(buf, i)
			}
			if err := w.Run(&Args{Kind: Bcast, Root: from,
				Send: Buffer{Data: buf[:8+same.IntN(slotsLong-8)]}}); err != nil {
				return err
			}
			if got := binary.LittleEndian.Uint64(buf); got != i {
				return fmt.Errorf("call %d got what was sent in call %d", i, got)
			}
			if other {
				if err := w.Barrier(); err != nil {
					return err
				}
			}
		}
		return nil
	}) {
		require.NoError(t, err, "rank %d", rank)
	}
}

// TestPiecesBySlots: vectors of one slot to all of a member, from any root. All roots
// wait for their slots at some time, as do all others.
func TestPiecesBySlots(t *testing.T) {
	const ranks, calls, most = 5, 150, board.MostPieces * board.MostPiece
	seed := testkit.Seed(t)
	root, rankOf := colltest.Worlds[0].Start(t, ranks, 2)
	for rank, err := range run(t, root, rankOf, func(w *Team) error {
		same, own := rand.New(rand.NewPCG(seed, 1)), rand.New(rand.NewPCG(seed, uint64(w.Rank)+2))
		buf := make([]byte, most)
		for i := range byte(calls) {
			n, from := 1+same.IntN(most>>same.IntN(8)), same.IntN(ranks)
			if w.Rank == from {
				for j := range n {
					buf[j] = i + byte(j/1000)
				}
			}
			for range own.IntN(3) {
				runtime.Gosched()
			}
			if err := w.Run(&Args{Kind: Bcast, Root: from, Send: Buffer{Data: buf[:n]}}); err != nil {
				return err
			}
			if i >= unmetCalls && w.Last() != "slot" {
				return fmt.Errorf("done by %s", w.Last())
			}
			for j := range n {
				if buf[j] != i+byte(j/1000) {
					return fmt.Errorf("call %d, byte %d of %d is %d", i, j, n, buf[j])
				}
			}
		}
		return nil
	}) {
		require.NoError(t, err, "rank %d", rank)
	}
}

// TestSlotMismatch: who is in another call than a broadcast is told so when the others
// come to a call in which all meet, or leave, and so are they.
func TestSlotMismatch(t *testing.T) {
	for what, odd := range map[string]func(*Team) *Args{
		"barrier": func(*Team) *Args { return &Args{Kind: Barrier} },
		"length":  func(w *Team) *Args { return simple(Bcast, w, 9) },
		"root":    func(w *Team) *Args { a := simple(Bcast, w, 8); a.Root = 1; return a },
	} {
		for _, meet := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/meet=%v", what, meet), func(t *testing.T) {
				root, rankOf := colltest.Worlds[1].Start(t, 4, 2)
				for rank, err := range run(t, root, rankOf, func(w *Team) error {
					if err := w.Barrier(); err != nil { // makes the board
						return err
					}
					a := simple(Bcast, w, 8)
					if w.Rank == 2 {
						a = odd(w)
					}
					err := w.Run(a)
					if meet && err == nil {
						err = w.Run(simple(Alltoall, w, 10))
					}
					_, ok := errors.AsType[*fault.MismatchError](err)
					switch {
					case w.Rank == 2 && !ok:
						return fmt.Errorf("the odd one got: %w", err)
					case meet && what == "barrier" && !ok: // else the odd one has left before
						return fmt.Errorf("meeting: %w", err)
					}
					return nil
				}) {
					require.NoError(t, err, "rank %d", rank)
				}
			})
		}
	}
}

// TestNobodyWaits: the root of a broadcast and of a scatter, the others of a gather and a reduction, and the first
// member of a scan, are through before any other member has come, as often as they have slots; also before the team has
// a board, and also over nodes.
func TestNobodyWaits(t *testing.T) {
	for _, maker := range slices.Concat(colltest.Worlds, inDomains) {
		for _, cpus := range []int{2, 8} {
			for _, kind := range []Kind{Bcast, Scatter, Gather, Reduce, Scan, Exscan} {
				if kind == Reduce && strings.HasSuffix(maker.Name, "in domains") && cpus >= 8 {
					continue // goes up the tree
				}
				for _, made := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s/%v/cpus=%d/made=%t", maker.Name, kind, cpus, made), func(t *testing.T) {
						goAhead(t, maker, kind, cpus, made)
					})
				}
			}
		}
	}
}

func goAhead(t *testing.T, maker colltest.World, kind Kind, cpus int, made bool) {
	const ranks, calls = 8, 4
	root, rankOf := maker.Start(t, ranks, cpus)
	ahead := make(chan struct{}, ranks)
	for rank, err := range run(t, root, rankOf, func(w *Team) error {
		if made {
			if err := w.Barrier(); err != nil {
				return err
			}
		}
		first := (w.Rank == 0) == (kind != Gather && kind != Reduce)
		if !first {
			<-ahead
			for i := 2; w.Rank == 0 && i < ranks; i++ {
				<-ahead
			}
		}
		lengths := []int{4, 1000, 4096}
		if !maker.Shared {
			lengths = []int{4, 40, 100} // what leaders send is eager
		}
		for i := range calls {
			a := simple(kind, w, lengths[i%3])
			if err := w.Run(a); err != nil {
				return err
			}
		}
		if first {
			if w.Rank > 0 {
				ahead <- struct{}{}
			} else {
				close(ahead)
			}
		}
		return w.Barrier()
	}) {
		require.NoError(t, err, "rank %d", rank)
	}
}
