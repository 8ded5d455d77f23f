package shared

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/internal/msg/coll/cad/message"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/mpi/fault"
)

// TestManyInFlight: graphs on several channels, waited for in any order.
func TestManyInFlight(t *testing.T) {
	base := seed(t)
	bothWays(t, func(t *testing.T, direct bool) {
		const ranks, channels, graphs = 4, 5, 25
		root, all := start(t, ranks, direct, Options{})
		eachRank(t, root, all, func(r rank) error {
			rng := rand.New(rand.NewPCG(base, uint64(r.rank)))
			var requests []pml.Request
			var bufs [][]byte
			for c := range uint32(channels) {
				channel := &cad.Channel{Context: 100 + c, Rank: r.rank, Size: ranks}
				for i := range graphs {
					buf := make([]byte, 1+i)
					if r.rank == 0 {
						for j := range buf {
							buf[j] = byte(int(c) + i + j)
						}
					}
					request, err := r.Issue(channel, r.chain(buf))
					if err != nil {
						return err
					}
					requests, bufs = append(requests, request), append(bufs, buf)
					if rng.IntN(4) == 0 {
						runtime.Gosched()
					}
				}
			}
			for _, i := range rng.Perm(len(requests)) {
				if _, err := requests[i].Wait(); err != nil {
					return err
				}
				for j := range bufs[i] {
					if want := byte(i/graphs + i%graphs + j); bufs[i][j] != want {
						return fmt.Errorf("graph %d: byte %d is %d, not %d", i, j, bufs[i][j], want)
					}
				}
			}
			return nil
		})
	})
}

// TestTooManyAreRefused: a rank that has all its places taken, on several channels.
func TestTooManyAreRefused(t *testing.T) {
	_, all := start(t, 2, true, Options{})
	r := all[0]
	receive := func(c *cad.Channel) error {
		g := cad.NewGraph()
		g.Recv(make([]byte, 1), 1)
		g.Tie()
		_, err := r.Issue(c, g)
		return err
	}
	for context := range uint32(maxGraphs / ringSize) {
		c := &cad.Channel{Context: 100 + context, Size: 2}
		for range ringSize {
			require.NoError(t, receive(c))
		}
		require.NoError(t, receive(c), "it waits for a place")
	}
	require.ErrorIs(t, receive(r.world), ErrTooMany)
}

// TestQueueEnds: what waits for a place learns that a rank has gone.
func TestQueueEnds(t *testing.T) {
	root, all := start(t, 2, true, Options{})
	r := all[0]
	requests := make([]pml.Request, 2*ringSize)
	for i := range requests {
		g := cad.NewGraph()
		g.Recv(make([]byte, 1), 1)
		g.Tie()
		var err error
		requests[i], err = r.Issue(r.world, g)
		require.NoError(t, err)
	}
	root.MarkGone(1)
	for i := range slices.Backward(requests) {
		_, err := requests[i].Wait()
		var lost *fault.LostError
		require.ErrorAs(t, err, &lost)
	}
	require.Empty(t, cad.StateOf[place](r.world).queue)
}

// TestManyAtATime: what a rank issues beyond those that may be underway begins later.
func TestManyAtATime(t *testing.T) { bothWays(t, manyAtATime) }

func manyAtATime(t *testing.T, direct bool) {
	root, all := start(t, 2, direct, Options{})
	issued := make(chan struct{})
	eachRank(t, root, all, func(r rank) error {
		const graphs = 3*ringSize + 1
		requests, bufs := make([]pml.Request, graphs), make([][2]byte, graphs)
		if r.rank == 1 {
			<-issued // the other rank has issued all, and none of its graphs is complete
		}
		for i := range requests {
			g := cad.NewGraph()
			bufs[i][0] = byte(i)
			g.Send(bufs[i][:1], 1-r.rank)
			g.Recv(bufs[i][1:], 1-r.rank)
			g.Tie()
			var err error
			if requests[i], err = r.Issue(r.world, g); err != nil {
				return err
			}
		}
		if r.rank == 0 {
			close(issued)
		}
		for i := range slices.Backward(requests) {
			if _, err := requests[i].Wait(); err != nil {
				return err
			}
			if bufs[i][1] != byte(i) {
				return fmt.Errorf("graph %d got %d", i, bufs[i][1])
			}
		}
		if len(cad.StateOf[message.State](r.world).Flight) != 0 {
			return fmt.Errorf("%v are still underway", cad.StateOf[message.State](r.world).Flight)
		}
		if len(cad.StateOf[place](r.world).queue) != 0 {
			return fmt.Errorf("%d wait for a place", len(cad.StateOf[place](r.world).queue))
		}
		return nil
	})
}
