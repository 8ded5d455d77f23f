package timed

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gopvas/gopvas/internal/lab/bench/rankside"
	"github.com/gopvas/gopvas/mpi"
)

// A collRank is a rank that measures one collective operation at one size. The loops
// follow IMB: the root changes from call to call unless a rank is late, and nothing else keeps the ranks in
// step. runner/peer/coll.c has the same in C, for one thread. With several goroutines each is a collRank, on a
// communicator of its own.
type collRank struct {
	world, ring *mpi.Comm
	named       bool // the operation is done by one of several algorithms, which can be asked for
	n           int
	out, in     []byte
	outF, inF   []float64
	sum         *mpi.Op[float64]
	late        time.Duration // for which one of the ranks computes before each call
}

// collectives are the operations. n is the length that is reported: of the vector, or
// of what one rank sends to another.
var collectives = map[string]func(r *collRank, root int) error{
	"barrier": func(r *collRank, _ int) error { return r.world.Barrier() },
	"bcast":   func(r *collRank, root int) error { return mpi.Bcast(r.world, r.out[:r.n], root) },
	"gather": func(r *collRank, root int) error {
		return mpi.Gather(r.world, r.out[:r.n], r.in[:r.n*r.world.Size()], root)
	},
	"scatter": func(r *collRank, root int) error {
		return mpi.Scatter(r.world, r.out[:r.n*r.world.Size()], r.in[:r.n], root)
	},
	"reduce":    func(r *collRank, root int) error { return mpi.Reduce(r.world, r.outF, r.inF, r.sum, root) },
	"allreduce": func(r *collRank, _ int) error { return mpi.Allreduce(r.world, r.outF, r.inF, r.sum) },
	"reduce_scatter": func(r *collRank, _ int) error {
		block := max(len(r.outF)/r.world.Size(), 1) // nobody waits where there are no elements
		return mpi.ReduceScatterBlock(r.world, r.outF[:block*r.world.Size()], r.inF[:block], r.sum)
	},
	"allgather": func(r *collRank, _ int) error {
		return mpi.Allgather(r.world, r.out[:r.n], r.in[:r.n*r.world.Size()])
	},
	"alltoall": func(r *collRank, _ int) error {
		return mpi.Alltoall(r.world, r.out[:r.n*r.world.Size()], r.in[:r.n*r.world.Size()])
	},
	"ibarrier":   func(r *collRank, _ int) error { return waited(r.world.Ibarrier()) },
	"ibcast":     func(r *collRank, root int) error { return waited(mpi.Ibcast(r.world, r.out[:r.n], root)) },
	"iallreduce": func(r *collRank, _ int) error { return waited(mpi.Iallreduce(r.world, r.outF, r.inF, r.sum)) },
	"ialltoall": func(r *collRank, _ int) error {
		return waited(mpi.Ialltoall(r.world, r.out[:r.n*r.world.Size()], r.in[:r.n*r.world.Size()]))
	},
	"neighbor": func(r *collRank, _ int) error { return mpi.NeighborAlltoall(r.ring, r.out[:2*r.n], r.in[:2*r.n]) },
}

// hasAlgorithm tells whether a benchmark reports its algorithm: those of neighbours and
// those that do not block do not know it.
func hasAlgorithm(benchmark string) bool {
	return benchmark != "neighbor" && !strings.HasPrefix(benchmark, "i")
}

// waited is for a nonblocking operation that nothing is done meanwhile.
func waited(request mpi.Request, err error) error {
	if err == nil {
		_, err = request.Wait()
	}
	return err
}

// collRankMain is the rank program; its arguments are those of runner/peer/coll.c.
func collRankMain(args []string) {
	goroutines, late := 1, 0.0
	if more := args[min(len(args), 3):]; len(more) > 0 {
		rankside.ScanArgs("those of a benchmark, goroutines, and seconds", more,
			[]any{&goroutines, &late}[:min(len(more), 2)]...)
		args = args[:3]
	}
	rankside.TimedRank(args, collectives,
		func(world *mpi.Comm, step func(*collRank, int) error, n int, limits rankside.Pace) error {
			callers := make(collCallers, goroutines)
			for i := range callers {
				caller, err := newCollRank(world, hasAlgorithm(args[0]), n)
				if err != nil {
					return err
				}
				callers[i], caller.late = caller, time.Duration(late*float64(time.Second))
				if i < len(callers)-1 { // the last caller has the world itself
					if caller.world, err = world.Dup(); err != nil {
						return err
					}
				}
			}
			if err := callers.measure(world, step, limits); err != nil {
				return err
			}
			return callers.free()
		})
}

// ElementSize returns the size in bytes of what a collective call combines or moves: no size is cut to a part of it.
func ElementSize(benchmark string) int {
	if strings.Contains(benchmark, "reduce") {
		return doubleSize
	}
	return 1
}

const doubleSize = 8

func newCollRank(world *mpi.Comm, named bool, n int) (*collRank, error) {
	grid, err := mpi.CartCreate(world, []int{world.Size()}, []bool{true})
	if err != nil {
		return nil, err
	}
	room := max(n*max(2, world.Size()), doubleSize*world.Size()) // reduce_scatter has an element for each
	return &collRank{
		world: world, ring: grid.Comm, named: named, n: n, sum: mpi.Sum[float64](),
		out: rankside.Touched(room), in: rankside.Touched(room),
		outF: slices.Repeat([]float64{1}, room/doubleSize)[:n/doubleSize],
		inF:  slices.Repeat([]float64{1}, room/doubleSize)[:n/doubleSize],
	}, nil
}

// collCallers are the goroutines of a rank. One alone is that which the rank has.
type collCallers []*collRank

// free frees the communicators that were made for the callers.
func (c collCallers) free() error {
	for i, caller := range c {
		if err := caller.ring.Free(); err != nil {
			return err
		}
		if i == len(c)-1 {
			break
		}
		if err := caller.world.Free(); err != nil {
			return err
		}
	}
	return nil
}

// call has each caller make some calls, and waits for all, or for the first error: the other goroutines
// would wait for this rank's part.
func (c collCallers) call(step func(*collRank, int) error, first, calls int) error {
	if len(c) == 1 {
		return c[0].call(step, first, calls)
	}
	ended := make(chan error, len(c))
	for _, caller := range c {
		go func() { ended <- caller.call(step, first, calls) }()
	}
	for range c {
		if err := <-ended; err != nil {
			return err
		}
	}
	return nil
}

func (r *collRank) call(step func(*collRank, int) error, first, calls int) error {
	for i := first; i < first+calls; i++ {
		root := i % r.world.Size()
		if r.late > 0 {
			root = 0
			r.compute(i)
		}
		if err := step(r, root); err != nil {
			return err
		}
	}
	return nil
}

// compute lets one rank be late in a call, the same as in runner/peer/coll.c.
func (r *collRank) compute(call int) {
	x := uint64(call+1) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	if x>>33%uint64(r.world.Size()) != uint64(r.world.Rank()) {
		return
	}
	for start := time.Now(); time.Since(start) < r.late; {
	}
}

// measure warms up and lets rank 0 print the line that parseLines reads.
func (c collCallers) measure(world *mpi.Comm, step func(*collRank, int) error, limits rankside.Pace) error {
	r, size := c[0], world.Size()
	reps, err := limits.WarmUp(world, func(i int) error { return c.call(step, i, 1) })
	if err != nil {
		return err
	}
	for range 2 {
		if err := world.Barrier(); err != nil {
			return err
		}
	}
	start := time.Now()
	if err := c.call(step, 0, reps); err != nil {
		return err
	}
	t := float64(time.Since(start).Nanoseconds()) / 1e3 / float64(reps*len(c))
	algorithm := ""
	if r.named {
		algorithm = r.world.Algorithm()
	}
	all := make([]float64, size)
	if err := mpi.Gather(world, []float64{t}, all, 0); err != nil {
		return err
	}
	if world.Rank() != 0 {
		return nil
	}
	sum, low, high := 0.0, t, t
	for _, v := range all {
		sum, low, high = sum+v, min(low, v), max(high, v)
	}
	fmt.Printf("%d %d %.4f %.4f %.4f %s\n", r.n, reps, sum/float64(size), low, high, algorithm)
	return nil
}
