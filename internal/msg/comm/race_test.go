package comm

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/msg/coll"
)

// Goroutines of a rank that are in collective operations of a communicator at a time are told so. All calls are made.
func TestRacesInCollectives(t *testing.T) {
	barrier := func(c *Comm) error { return c.Barrier() }
	wait := func(r Request, err error) error {
		if err == nil {
			_, err = r.Wait()
		}
		return err
	}
	begun := func(c *Comm) error { return wait(c.Ibarrier()) }
	neighbors := func(c *Comm) error {
		return wait(NewNeighborCall(c, "allgather", func(out, in []coll.Edge) error {
			for i := range out {
				out[i].Data, in[i].Data = Bytes(make([]byte, 8)), Bytes(make([]byte, 8))
			}
			return nil
		}).Begin())
	}
	graph := func(c *Comm) error {
		g := NewGraph(c)
		SendNode(g, Bytes(make([]byte, 8)), 1-c.Rank(), nil)
		RecvNode(g, Bytes(make([]byte, 8)), 1-c.Rank(), nil)
		g.Tie()
		return wait(g.Issue())
	}
	window := func(c *Comm) error { _, err := WinAllocateShared(c, WinSpec{Bytes: 8, Unit: 1}); return err }
	file := func(c *Comm) error { return Make(c, "open", func(own *Comm) error { return own.Barrier() }) }
	dup := func(c *Comm) error { _, err := c.Dup(); return err }
	short := func(c *Comm) error {
		buf := coll.Buffer{Data: make([]byte, 8)}
		return RunCollective(c, "bcast", &coll.Args{Kind: coll.Bcast, Send: buf, Recv: buf})
	}
	for name, other := range map[string]struct {
		call func(*Comm) error
		met  string
	}{
		"barrier": {barrier, "barrier"}, "ibarrier": {begun, "ibarrier"}, "bcast": {short, "bcast"},
		"dup": {dup, "a call that makes a communicator"}, "ineighbor": {neighbors, "iallgather"},
		"graph": {graph, "issue graph"}, "window": {window, "allocate shared window"}, "make": {file, "open"},
	} {
		for _, ringed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/ringed=%t", name, ringed), func(t *testing.T) {
				overMem(t, 2, 2, mem.Options{}, func(w *Comm) error {
					c, err := CartCreate(w, []int{2}, []bool{false})
					if err != nil {
						return err
					}
					c.Comm.SetName("world")
					if ringed { // later nonblocking operations go by the board
						if err := c.Comm.Barrier(); err != nil {
							return err
						}
					}
					return racing(c.Comm, other.call, other.met)
				})
			})
		}
	}
}

// racing has rank 0 make a call while another goroutine of it is in a barrier, and rank 1 both, in this order.
func racing(c *Comm, other func(*Comm) error, met string) error {
	const tag = 5
	word := make([]byte, 1)
	if c.Rank() == 1 {
		var st Status
		return first(Recv(c, &st, word, 1, 0, tag), c.Barrier(), other(c))
	}
	var wg sync.WaitGroup
	var one, two error
	wg.Go(func() { one = c.Barrier() })
	for c.entry.Held().Load() == 0 {
		runtime.Gosched()
	}
	wg.Go(func() { two = other(c) })
	for !c.entry.Raced() {
		runtime.Gosched()
	}
	err := Send(c, Standard, word, 1, 1, tag)
	wg.Wait()
	if !errors.Is(one, ErrRace) || !errors.Is(two, ErrRace) {
		return fmt.Errorf("no race is told: %w and %w", one, two)
	}
	return first(err,
		wantContains(one, "mpi: barrier: another goroutine or thread of this rank was in "+met+` on "world"`),
		wantContains(two, `was in barrier on "world" at the same time`))
}

// Nonblocking operations that are begun one after the other are right, also while other goroutines wait for theirs.
func TestGoroutinesBeginInTurn(t *testing.T) {
	overMem(t, 2, 2, mem.Options{}, func(c *Comm) error {
		if err := c.Barrier(); err != nil {
			return err
		}
		var wg sync.WaitGroup
		errs := make([]error, 100)
		for i := range errs {
			r, err := c.Ibarrier()
			if err != nil {
				return err
			}
			wg.Go(func() { _, errs[i] = r.Wait() })
		}
		wg.Wait()
		return first(append(errs, c.Barrier())...)
	})
}
