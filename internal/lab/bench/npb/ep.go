package npb

import (
	"fmt"

	"github.com/gopvas/gopvas/mpi"
)

// ep is the embarrassingly parallel benchmark (RNR-94-007 section 2.2): it makes pairs
// of Gaussian deviates from pairs of uniform ones, adds them up, and counts them by
// square annulus. Each rank does a part of the sequence.
type ep struct{}

// epBatch is the number of pairs in the smallest part that a rank does.
const epBatch = 1 << 16

// An epProblem is a class: the logarithm of the number of pairs, and the sums.
type epProblem struct {
	pairs      int
	sumX, sumY float64
}

var epProblems = map[Class]epProblem{
	S: {24, -3.247834652034740e3, -6.958407078382297e3},
	W: {25, -2.863319731645753e3, -6.320053679109499e3},
	A: {28, -4.295875165629892e3, -1.580732573678431e4},
	B: {30, 4.033815542441498e4, -2.660669192809235e4},
	C: {32, 4.764367927995374e4, -8.084072988043731e4},
}

func (ep) check(class Class, ranks int) error {
	if most := 1 << epProblems[class].pairs / epBatch; ranks < 1 || ranks > most {
		return fmt.Errorf("there are %d batches, and each rank needs one", most)
	}
	return nil
}

func (k ep) run(world *mpi.Comm, class Class) (Result, error) { return k.runBy(world, class) }

func (ep) runBy(t team, class Class) (Result, error) {
	p := epProblems[class]
	batches, ranks, rank := 1<<p.pairs/epBatch, t.Size(), t.Rank()
	first, end := batches*rank/ranks, batches*(rank+1)/ranks
	var g gaussians
	g.add(271828183, 1) // the first time takes page faults
	var totals []float64
	seconds, err := timed(t, func() error {
		g = gaussians{}
		seed := sequence(271828183)
		seed.skip(2 * epBatch * uint64(first))
		g.add(seed, (end-first)*(epBatch/epBlock))
		totals = g.totals()
		return allreduce(t, totals, mpi.Sum[float64]())
	})
	if err != nil {
		return Result{}, err
	}
	numbers := 2 * 1 << p.pairs
	return newResult(Result{
		Size: []int{numbers}, Operation: "Random numbers generated",
		Checks: []Comparison{
			{"sum of X", totals[0], p.sumX, 1e-8},
			{"sum of Y", totals[1], p.sumY, 1e-8},
		},
	}, seconds, float64(numbers)), nil
}
