package overlap

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/gopvas/gopvas/internal/lab/bench/rankside"
	"github.com/gopvas/gopvas/mpi"
)

// overlapBatch is how many messages are timed to find out how many fit.
const overlapBatch = 8

// An overlapRank is a rank that computes while a broadcast is underway. runner/peer/overlap.c
// does the same in C.
type overlapRank struct {
	world   *mpi.Comm
	seconds float64 // that a loop should take
	blocks  int     // of loops
	item    overlapItem
	buf     []byte
	*matrices
}

// overlapRankMain is the rank program. Its arguments are those of runner/peer/overlap.c.
func overlapRankMain(args []string) {
	seconds, blocks, items, err := parseOverlapArgs(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	mpi.Run(func(world *mpi.Comm) error {
		for _, item := range items {
			r := &overlapRank{world, seconds, blocks, item, rankside.Touched(item.bytes), newMatrices(item.grain)}
			found, err := r.measure()
			if err != nil {
				return err
			}
			for _, s := range found {
				if world.Rank() == 0 {
					fmt.Println(s)
				}
			}
		}
		return printExecuted(world)
	})
}

func parseOverlapArgs(args []string) (seconds float64, blocks int, items []overlapItem, err error) {
	if len(args) != 3 {
		return 0, 0, nil, errors.New("bench: overlap: seconds, blocks and BYTES:GRAIN:TESTS:NANOSECONDS,... are needed")
	}
	if seconds, err = strconv.ParseFloat(args[0], 64); err != nil {
		return 0, 0, nil, fmt.Errorf("bench: overlap: seconds: %w", err)
	}
	if blocks, err = strconv.Atoi(args[1]); err != nil {
		return 0, 0, nil, fmt.Errorf("bench: overlap: blocks: %w", err)
	}
	for s := range strings.SplitSeq(args[2], ",") {
		item, err := parseOverlapItem(s)
		if err != nil {
			return 0, 0, nil, err
		}
		items = append(items, item)
	}
	return seconds, blocks, items, nil
}

// measure finds out how many products and messages fit into a loop, then makes blocks of
// loops.
func (r *overlapRank) measure() (blocks []overlapSample, err error) {
	l := &overlapLoops{products: 100_000/(r.n*r.n*r.n) + 2, alone: overlapBatch, both: overlapBatch}
	s, err := r.block(l)
	if err != nil {
		return nil, err
	}
	for _, f := range []struct {
		n  *int
		us float64
	}{{&l.products, s.product / 1e3}, {&l.alone, s.pure}, {&l.both, s.elapsed}} {
		if *f.n, err = r.fit(f.us); err != nil {
			return nil, err
		}
	}
	for range r.blocks {
		s, err := r.block(l)
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, s)
	}
	return blocks, nil
}

// overlapLoops are how often the loops of a block go round.
type overlapLoops struct{ products, alone, both int }

// block makes products, broadcasts with products, products again, then broadcasts: the
// speed of a machine changes from one millisecond to the next, and so is measured on
// both sides of what it is used for.
func (r *overlapRank) block(l *overlapLoops) (s overlapSample, err error) {
	before, err := r.product(l.products)
	if err != nil {
		return s, err
	}
	after := before
	if r.item.compute > 0 || r.item.tests == EachProduct {
		work := max(1, int(float64(r.item.compute.Nanoseconds())/before+0.5))
		if s.elapsed, s.products, err = r.messages(l.both, work, r.item.tests); err != nil {
			return s, err
		}
		if after, err = r.product(l.products); err != nil {
			return s, err
		}
	}
	s.product = (before + after) / 2
	s.pure, _, err = r.messages(l.alone, 0, 0)
	return s, err
}

// product returns the nanoseconds that a product takes while all ranks make products.
func (r *overlapRank) product(n int) (float64, error) {
	if err := r.world.Barrier(); err != nil {
		return 0, err
	}
	start := time.Now()
	for range n {
		r.multiply()
	}
	return r.average(nanoseconds(start) / float64(n))
}

// messages makes broadcasts and returns the microseconds of each, and how many products
// a rank made in that time.
func (r *overlapRank) messages(reps, work, tests int) (elapsed, products float64, err error) {
	if err := r.world.Barrier(); err != nil {
		return 0, 0, err
	}
	made := 0
	start := time.Now()
	for i := range reps {
		n, err := r.message(i, work, tests)
		if err != nil {
			return 0, 0, err
		}
		made += n
	}
	elapsed = nanoseconds(start) / 1e3 / float64(reps)
	if products, err = r.average(float64(made) / float64(reps)); err != nil {
		return 0, 0, err
	}
	elapsed, err = r.average(elapsed)
	return elapsed, products, err
}

// message makes a broadcast, the i-th, and products until it is there or, if there is
// other work for tests, so many.
func (r *overlapRank) message(i, work, tests int) (made int, err error) {
	root, stamp, last := i%r.world.Size(), byte(i), len(r.buf)-1
	if r.world.Rank() == root {
		r.buf[0], r.buf[last] = stamp, stamp
	}
	request, err := mpi.Ibcast(r.world, r.buf, root)
	if err != nil {
		return 0, err
	}
	for done := tests != EachProduct; !done; made++ {
		r.multiply()
		if _, done, err = request.Test(); err != nil {
			return 0, err
		}
	}
	for part := 0; part <= tests; part++ {
		end := work * (part + 1) / (tests + 1) // compilers of C take it out of the loop, Go's does not
		for ; made < end; made++ {
			r.multiply()
		}
		if part < tests {
			if _, _, err = request.Test(); err != nil {
				return 0, err
			}
		}
	}
	if _, err := request.Wait(); err != nil {
		return 0, err
	}
	if r.buf[0] != stamp || r.buf[last] != stamp {
		return 0, fmt.Errorf("bench: overlap: broadcast %d brought %d and %d, not %d", i, r.buf[0], r.buf[last], stamp)
	}
	return made, nil
}

// fit returns how many of a kind, whose microseconds are given, fit into a loop, as
// rank 0 sees it.
func (r *overlapRank) fit(us float64) (int, error) {
	n := []int64{int64(r.seconds*1e6/max(us, 1e-3)) + 1}
	err := mpi.Bcast(r.world, n, 0)
	return int(n[0]), err
}

func (r *overlapRank) average(v float64) (float64, error) {
	sum := []float64{0}
	err := mpi.Allreduce(r.world, []float64{v}, sum, mpi.Sum[float64]())
	return sum[0] / float64(r.world.Size()), err
}
