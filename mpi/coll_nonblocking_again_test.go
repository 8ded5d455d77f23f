package mpi

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gopvas/gopvas/internal/test/testkit"
)

// otherBuffers makes the same calls again and again, several at a time, with buffers that
// change places: their graphs are those of earlier calls.
func otherBuffers(c *Comm) error {
	before := c.inner().GraphStats().Memory
	c, err := c.Dup()
	if err != nil {
		return err
	}
	sum := Sum[int64]()
	send, recv := make([]int64, 5000), make([]int64, 5000)
	for round := range max(12, testkit.Rounds(60)) {
		n, many, root := []int{1, 5000}[round/2%2], 1+round%4, round%c.Size()
		var inPlace, fromRoot [][]int64
		var requests []Request
		begun := func(r Request, err error) error {
			requests = append(requests, r)
			return err
		}
		same := func(v int) []int64 { return slices.Repeat([]int64{int64(v)}, n) }
		copy(send, same(c.Rank()+round))
		err := begun(Iallreduce(c, send[:n], recv[:n], sum))
		for k := range many {
			inPlace = append(inPlace, same(c.Rank()*k+round))
			fromRoot = append(fromRoot, same(c.Rank()*100+round+k))
			err = first(err, begun(Iallreduce(c, nil, inPlace[k], sum)), begun(Ibcast(c, fromRoot[k], root)))
		}
		if err := first(err, WaitAll(requests, nil)); err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
		ranks, total := c.Size(), c.Size()*(c.Size()-1)/2
		if !slices.Equal(recv[:n], same(total+ranks*round)) {
			return fmt.Errorf("round %d: sum %d, not %d", round, recv[0], total+ranks*round)
		}
		for k := range many {
			if !slices.Equal(inPlace[k], same(total*k+ranks*round)) ||
				!slices.Equal(fromRoot[k], same(root*100+round+k)) {
				return fmt.Errorf("round %d: call %d brought %d and %d", round, k, inPlace[k][0], fromRoot[k][0])
			}
		}
		send, recv = recv, send
	}
	if c.inner().GraphStats().Memory <= before {
		return errors.New("no graph was kept")
	}
	if err := c.Free(); err != nil {
		return err
	}
	return want("memory of graphs after Free", c.inner().GraphStats().Memory, before)
}
