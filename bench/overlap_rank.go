package bench

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/gopvas/gopvas/mpi"
)

// overlapBatch is how many messages are timed to find out how many fit.
const overlapBatch = 8

// An overlapRank is a rank that computes while a broadcast is underway. peer/overlap.c
// does the same in C.
type overlapRank struct {
	world   *mpi.Comm
	seconds float64 // that a loop should take
	item    overlapItem
	buf     []byte
	*matrices
}

// overlapRankMain is the rank program. Its arguments are those of peer/overlap.c.
func overlapRankMain(args []string) {
	seconds, items, err := parseOverlapArgs(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	mpi.Run(func(world *mpi.Comm) error {
		for _, item := range items {
			r := &overlapRank{world, seconds, item, touched(item.bytes), newMatrices(item.grain)}
			line, err := r.measure()
			if err != nil {
				return err
			}
			if world.Rank() == 0 {
				fmt.Println(line)
			}
		}
		return printExecuted(world)
	})
}

func parseOverlapArgs(args []string) (seconds float64, items []overlapItem, err error) {
	if len(args) != 2 {
		return 0, nil, fmt.Errorf("bench: overlap: seconds and BYTES:GRAIN:TESTS:NANOSECONDS,... are needed")
	}
	if seconds, err = strconv.ParseFloat(args[0], 64); err != nil {
		return 0, nil, fmt.Errorf("bench: overlap: seconds: %w", err)
	}
	for s := range strings.SplitSeq(args[1], ",") {
		item, err := parseOverlapItem(s)
		if err != nil {
			return 0, nil, err
		}
		items = append(items, item)
	}
	return seconds, items, nil
}

// measure makes products alone, broadcasts alone, then both.
func (r *overlapRank) measure() (s overlapSample, err error) {
	if s.product, err = r.product(); err != nil {
		return s, err
	}
	if _, s.pure, _, err = r.messages(0, 0); err != nil || r.item.compute == 0 && r.item.tests != EachProduct {
		return s, err
	}
	work := max(1, int(float64(r.item.compute.Nanoseconds())/s.product+0.5))
	s.reps, s.elapsed, s.products, err = r.messages(work, r.item.tests)
	return s, err
}

// product returns the nanoseconds that a product takes while all ranks make products.
func (r *overlapRank) product() (t float64, err error) {
	n := 100_000/(r.n*r.n*r.n) + 2
	for round := range 2 {
		if err := r.world.Barrier(); err != nil {
			return 0, err
		}
		start := time.Now()
		for range n {
			r.multiply()
		}
		t = float64(time.Since(start).Nanoseconds()) / float64(n)
		if round == 0 {
			if n, err = r.fit(t / 1e3); err != nil {
				return 0, err
			}
		}
	}
	return r.average(t)
}

// messages makes broadcasts, of whose number it makes sure with a few, and returns that
// number, the microseconds of each, and how many products a rank made in that time.
func (r *overlapRank) messages(work, tests int) (reps int, elapsed, products float64, err error) {
	reps = overlapBatch
	var made int
	for round := range 2 {
		if err := r.world.Barrier(); err != nil {
			return 0, 0, 0, err
		}
		made = 0
		start := time.Now()
		for i := range reps {
			n, err := r.message(i, work, tests)
			if err != nil {
				return 0, 0, 0, err
			}
			made += n
		}
		elapsed = float64(time.Since(start).Nanoseconds()) / 1e3 / float64(reps)
		if round == 0 {
			if reps, err = r.fit(elapsed); err != nil {
				return 0, 0, 0, err
			}
		}
	}
	if products, err = r.average(float64(made) / float64(reps)); err != nil {
		return 0, 0, 0, err
	}
	elapsed, err = r.average(elapsed)
	return reps, elapsed, products, err
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
		for ; made < work*(part+1)/(tests+1); made++ {
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
