package overlap

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/gopvas/gopvas/internal/bench/rankside"
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
	rankside.Run(func(world *mpi.Comm) {
		for _, item := range items {
			r := &overlapRank{world, seconds, blocks, item, rankside.Touched(item.bytes), newMatrices(item.grain)}
			for _, s := range r.measure() {
				if world.Rank() == 0 {
					fmt.Println(s)
				}
			}
		}
		printExecuted(world)
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
func (r *overlapRank) measure() (blocks []overlapSample) {
	l := &overlapLoops{products: 100_000/(r.n*r.n*r.n) + 2, alone: overlapBatch, both: overlapBatch}
	s := r.block(l)
	for _, f := range []struct {
		n  *int
		us float64
	}{{&l.products, s.product / 1e3}, {&l.alone, s.pure}, {&l.both, s.elapsed}} {
		*f.n = r.fit(f.us)
	}
	for range r.blocks {
		blocks = append(blocks, r.block(l))
	}
	return blocks
}

// overlapLoops are how often the loops of a block go round.
type overlapLoops struct{ products, alone, both int }

// block makes products, broadcasts with products, products again, then broadcasts: the
// speed of a machine changes from one millisecond to the next, and so is measured on
// both sides of what it is used for.
func (r *overlapRank) block(l *overlapLoops) (s overlapSample) {
	before := r.product(l.products)
	after := before
	if r.item.compute > 0 || r.item.tests == EachProduct {
		work := max(1, int(float64(r.item.compute.Nanoseconds())/before+0.5))
		s.elapsed, s.products = r.messages(l.both, work, r.item.tests)
		after = r.product(l.products)
	}
	s.product = (before + after) / 2
	s.pure, _ = r.messages(l.alone, 0, 0)
	return s
}

// product returns the nanoseconds that a product takes while all ranks make products.
func (r *overlapRank) product(n int) float64 {
	rankside.Check(r.world.Barrier())
	start := time.Now()
	for range n {
		r.multiply()
	}
	return r.average(nanoseconds(start) / float64(n))
}

// messages makes broadcasts and returns the microseconds of each, and how many products
// a rank made in that time.
func (r *overlapRank) messages(reps, work, tests int) (elapsed, products float64) {
	rankside.Check(r.world.Barrier())
	made := 0
	start := time.Now()
	for i := range reps {
		made += r.message(i, work, tests)
	}
	elapsed = nanoseconds(start) / 1e3 / float64(reps)
	products = r.average(float64(made) / float64(reps))
	return r.average(elapsed), products
}

// message makes a broadcast, the i-th, and products until it is there or, if there is
// other work for tests, so many.
func (r *overlapRank) message(i, work, tests int) (made int) {
	root, stamp, last := i%r.world.Size(), byte(i), len(r.buf)-1
	if r.world.Rank() == root {
		r.buf[0], r.buf[last] = stamp, stamp
	}
	request := rankside.Value(mpi.Ibcast(r.world, r.buf, root))
	for done := tests != EachProduct; !done; made++ {
		r.multiply()
		done = rankside.Test(&request)
	}
	for part := 0; part <= tests; part++ {
		end := work * (part + 1) / (tests + 1) // compilers of C take it out of the loop, Go's does not
		for ; made < end; made++ {
			r.multiply()
		}
		if part < tests {
			rankside.Test(&request)
		}
	}
	rankside.Value(request.Wait())
	if r.buf[0] != stamp || r.buf[last] != stamp {
		rankside.Check(fmt.Errorf("bench: overlap: broadcast %d brought %d and %d, not %d", i, r.buf[0], r.buf[last],
			stamp))
	}
	return made
}

// fit returns how many of a kind, whose microseconds are given, fit into a loop, as
// rank 0 sees it.
func (r *overlapRank) fit(us float64) int {
	n := []int64{int64(r.seconds*1e6/max(us, 1e-3)) + 1}
	rankside.Check(mpi.Bcast(r.world, n, 0))
	return int(n[0])
}

func (r *overlapRank) average(v float64) float64 {
	sum := []float64{0}
	rankside.Check(mpi.Allreduce(r.world, []float64{v}, sum, mpi.Sum[float64]()))
	return sum[0] / float64(r.world.Size())
}
