package mpi

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"testing"

	"github.com/gopvas/gopvas/internal/msg/coll/cad"
	"github.com/gopvas/gopvas/internal/msg/coll/cad/shared"
	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// nonblockingCases are the behaviours of nonblocking and persistent collectives.
var nonblockingCases = []p2pCase{
	{"one by one", oneByOne},
	{"many at a time", manyAtATime},
	{"other buffers", otherBuffers},
	{"persistent", persistentCollectives},
	{"user graphs", userGraphs},
	{"bad graphs", badGraphs},
	{"nonblocking mistakes", nonblockingMistakes},
	{"refused calls among others", refusedAmongOthers},
	{"views", backgroundViews},
	{"mistakes with views", viewMistakes},
	{"random views", randomViews},
	{"long views", longAgainstWhole},
	{"wrong view of one", wrongViewOfOne},
	{"different lengths", differentLengths},
	{"panic in the background", panicInTheBackground},
}

func nonblockingConformance(c *Comm) error {
	for _, k := range nonblockingCases {
		if only := os.Getenv("CASE"); only == "" || only == k.name {
			if err := runCase(c, k); err != nil {
				return err
			}
		}
	}
	return nil
}

// ringOf returns a periodic ring of all ranks of c.
func ringOf(c *Comm) (*Comm, error) {
	grid, err := CartCreate(c, []int{c.Size()}, []bool{true})
	if err != nil {
		return nil, err
	}
	return grid.Comm, nil
}

// oneByOne does each operation from each root, and waits for it in each way.
func oneByOne(c *Comm) error {
	c, err := ringOf(c)
	if err != nil {
		return err
	}
	for _, root := range []int{0, c.Size() / 2, c.Size() - 1} {
		for _, n := range []int{0, 1, 3000} {
			for i, op := range nonblockingOps(c, root, n) {
				op.fill(root)
				r, err := op.begin()
				if err == nil {
					err = awaitSomehow(&r, i+root)
				}
				if err := first(err, op.check(root)); err != nil {
					return fmt.Errorf("%s of %d from %d: %w", op.name, n, root, err)
				}
			}
		}
	}
	return c.Free()
}

// awaitSomehow waits for a request in one of the ways that there are.
func awaitSomehow(r *Request, way int) error {
	one := []Request{*r}
	switch way % 4 {
	case 0:
		_, err := r.Wait()
		return err
	case 1:
		for range 100 {
			if _, done, err := r.Test(); done || err != nil {
				return err
			}
			runtime.Gosched()
		}
		_, err := r.Wait()
		return err
	case 2:
		return WaitAll(one, nil)
	}
	_, _, err := WaitAny(one)
	return err
}

// manyAtATime has all operations underway on several communicators, with messages, and
// waits for them in any order.
func manyAtATime(c *Comm) error {
	rng := rand.New(rand.NewPCG(uint64(c.Rank()), 1))
	for round := range 3 {
		var comms []*Comm
		for range 4 {
			one, err := ringOf(c)
			if err != nil {
				return err
			}
			comms = append(comms, one)
		}
		left, right := ring(c)
		var ops []underway
		var requests []Request
		for _, one := range comms {
			for i := range nonblockingOps(one, 0, 0) {
				op := nonblockingOps(one, round%c.Size(), 100*round)[i] // with buffers of its own
				op.fill(round)
				r, err := op.begin()
				if err != nil {
					return fmt.Errorf("%s: %w", op.name, err)
				}
				ops, requests = append(ops, op), append(requests, r)
			}
		}
		for i := range 10 {
			in, out := make([]int, 1), []int{c.Rank() + i}
			r, err := Irecv(c, in, left, i)
			s, sendErr := Isend(c, out, right, i)
			if err := first(err, sendErr); err != nil {
				return err
			}
			arrived := func(int) error { return want("message", in[0], left+i) }
			ops = append(ops, underway{check: arrived}, underway{check: func(int) error { return nil }})
			requests = append(requests, r, s)
		}
		for range len(requests) / 2 {
			at := rng.IntN(len(requests))
			if _, err := requests[at].Wait(); err != nil {
				return err
			}
		}
		for {
			at, _, err := WaitAny(requests)
			if err != nil {
				return err
			}
			if at == Undefined {
				break
			}
		}
		for _, op := range ops {
			if err := op.check(round); err != nil {
				return fmt.Errorf("round %d: %w", round, err)
			}
		}
		for _, one := range comms {
			if err := one.Free(); err != nil {
				return err
			}
		}
	}
	return nil
}

// persistentCollectives starts each operation many times, all at a time.
func persistentCollectives(c *Comm) error {
	c, err := ringOf(c)
	if err != nil {
		return err
	}
	ops := nonblockingOps(c, c.Size()-1, 60)
	requests := make([]Request, len(ops))
	for i, op := range ops {
		if requests[i], err = op.prepare(); err != nil {
			return fmt.Errorf("%s: %w", op.name, err)
		}
	}
	// Those that are not started stand for nothing.
	if err := first(WaitAll(requests, nil),
		wantIs("start of nothing", (&Request{}).Start(), ErrNotPersistent)); err != nil {
		return err
	}
	rounds := 100
	if testkit.Race || c.Size() > 3 {
		rounds = 20 // with more ranks than CPUs a round takes long, and shows nothing that those of three do not
	}
	for round := range rounds {
		for i, op := range ops {
			op.fill(round)
			if err := requests[i].Start(); err != nil {
				return fmt.Errorf("%s: %w", op.name, err)
			}
			if err := awaitSomehow(&requests[i], round+i); err != nil {
				return fmt.Errorf("%s, round %d: %w", op.name, round, err)
			}
			if err := op.check(round); err != nil {
				return fmt.Errorf("%s, round %d: %w", op.name, round, err)
			}
		}
	}
	for i := range requests {
		if err := requests[i].Free(); err != nil {
			return err
		}
	}
	return c.Free()
}

// setups are who progresses.
var setups = map[string]shared.Setup{
	"default": {},
	"owner":   {Options: shared.Options{Policy: cad.Owner}, Helpers: 2},
	"helpers": {Helpers: 2},
	"checked": {Options: shared.Options{Check: true}, Helpers: 1},
}

func TestNonblockingOverMem(t *testing.T) {
	for _, kind := range testkit.Some(kinds...) {
		for _, ranks := range testkit.Counts(1, 2, 5) {
			t.Run(fmt.Sprintf("%s/ranks=%d", kind, ranks), func(t *testing.T) {
				overMem(t, ranks, 2, memKinds[kind], nonblockingConformance)
			})
		}
	}
}

func TestNonblockingInOneSpace(t *testing.T) {
	for i, kind := range slices.Sorted(maps.Keys(setups)) {
		setup := setups[kind]
		for _, ranks := range testkit.Turn(i, testkit.Counts(2, 3, 7)...) {
			t.Run(fmt.Sprintf("%s/ranks=%d", kind, ranks), func(t *testing.T) {
				inOneSpaceBy(t, ranks, comm.Settings{Setup: setup, Check: setup.Check}, func(c *Comm) error {
					return errors.Join(nonblockingConformance(c), c.Finalize())
				})
			})
		}
	}
}

func TestNonblockingOverProcesses(t *testing.T) {
	for _, ranks := range testkit.Counts(2, 5, 9) {
		t.Run(fmt.Sprintf("ranks=%d", ranks), func(t *testing.T) {
			jobtest.Run(t, smJob(ranks), "nonblocking")
			checked := smJob(ranks)
			checked.Settings.Check = true
			jobtest.Run(t, checked, "nonblocking")
		})
	}
}
