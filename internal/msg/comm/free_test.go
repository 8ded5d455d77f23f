package comm

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
)

// TestFreeAhead: a rank frees more communicators than it has credit for, while the others do not free
// until they hear from it.
func TestFreeAhead(t *testing.T) {
	for _, ranks := range []int{2, 3} {
		for _, n := range []int{300, 1000} {
			t.Run(fmt.Sprintf("ranks=%d/communicators=%d", ranks, n), func(t *testing.T) {
				overMem(t, ranks, 2, mem.Options{}, func(c *Comm) error { return freeAhead(c, n) })
			})
		}
	}
}

func freeAhead(c *Comm, n int) error {
	comms := make([]*Comm, n)
	for i := range comms {
		var err error
		if comms[i], err = c.Dup(); err != nil {
			return err
		}
	}
	freeAll := func() error {
		for _, d := range comms {
			if err := d.Free(); err != nil {
				return err
			}
		}
		return nil
	}
	hears := make([]byte, 1)
	if c.Rank() != 1 {
		var st Status
		if err := Recv(c, &st, hears, 1, 1, 5); err != nil {
			return err
		}
		if err := first(freeAll(), c.Barrier()); err != nil {
			return err
		}
	} else {
		if err := freeAll(); err != nil {
			return err
		}
		for peer := range c.Size() {
			if peer == 1 {
				continue
			}
			if err := Send(c, Standard, hears, 1, peer, 5); err != nil {
				return err
			}
		}
		if err := c.Barrier(); err != nil {
			return err
		}
	}
	if c.Rank() != 0 {
		return nil
	}
	for { // the verdicts are there, or will be: then all is given back
		c.contexts.settle()
		c.contexts.retiring.Lock()
		left := len(c.contexts.retired)
		c.contexts.retiring.Unlock()
		if left == 0 {
			return nil
		}
		runtime.Gosched()
	}
}

// TestFreeOverNodes: the first rank of each node hears of the others there, and rank 0 of all first ones. So the boards
// of nodes are used again, too.
func TestFreeOverNodes(t *testing.T) {
	root := jobtest.Create(t, job.Config{Ranks: 6, BTL: job.BTLSM, CPUs: 2, Nodes: []int{0, 1, 0, 1, 2, 1}}).Root()
	for rank, want := range [][]int32{{-1, 1, 2, 4}, {0, 3, 5}, {0}, {1}, {0}, {1}} {
		c := &Comm{process: &process{root: root}, membership: membership{group: consecutive(rank, 0, 6)}}
		c.members = c.group
		above, below := tree(c)
		require.Equal(t, want, append([]int32{above}, below...), rank)
	}
}
