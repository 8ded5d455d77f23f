package timed

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gopvas/gopvas/internal/bench/rankside"
	"github.com/gopvas/gopvas/mpi"
)

// A collRank is a rank that measures one collective operation at one size. The loops
// follow IMB: the root changes from call to call, and nothing else keeps the ranks in
// step. runner/peer/coll.c has the same in C, for one thread. With several goroutines each is a collRank, on a
// communicator of its own.
type collRank struct {
	world, ring *mpi.Comm
	named       bool // the operation is done by one of several algorithms, which can be asked for
	n           int
	out, in     []byte
	outF, inF   []float64
	sum         *mpi.Op[float64]
}

// collectives are the operations. n is the length that is reported: of the vector, or
// of what one rank sends to another.
var collectives = map[string]func(r *collRank, root int){
	"barrier": func(r *collRank, _ int) { rankside.Check(r.world.Barrier()) },
	"bcast":   func(r *collRank, root int) { rankside.Check(mpi.Bcast(r.world, r.out[:r.n], root)) },
	"gather": func(r *collRank, root int) {
		rankside.Check(mpi.Gather(r.world, r.out[:r.n], r.in[:r.n*r.world.Size()], root))
	},
	"scatter": func(r *collRank, root int) {
		rankside.Check(mpi.Scatter(r.world, r.out[:r.n*r.world.Size()], r.in[:r.n], root))
	},
	"reduce":    func(r *collRank, root int) { rankside.Check(mpi.Reduce(r.world, r.outF, r.inF, r.sum, root)) },
	"allreduce": func(r *collRank, _ int) { rankside.Check(mpi.Allreduce(r.world, r.outF, r.inF, r.sum)) },
	"reduce_scatter": func(r *collRank, _ int) {
		block := max(len(r.outF)/r.world.Size(), 1) // nobody waits where there are no elements
		rankside.Check(mpi.ReduceScatterBlock(r.world, r.outF[:block*r.world.Size()], r.inF[:block], r.sum))
	},
	"allgather": func(r *collRank, _ int) {
		rankside.Check(mpi.Allgather(r.world, r.out[:r.n], r.in[:r.n*r.world.Size()]))
	},
	"alltoall": func(r *collRank, _ int) {
		rankside.Check(mpi.Alltoall(r.world, r.out[:r.n*r.world.Size()], r.in[:r.n*r.world.Size()]))
	},
	"ibarrier":   func(r *collRank, _ int) { waited(r.world.Ibarrier()) },
	"ibcast":     func(r *collRank, root int) { waited(mpi.Ibcast(r.world, r.out[:r.n], root)) },
	"iallreduce": func(r *collRank, _ int) { waited(mpi.Iallreduce(r.world, r.outF, r.inF, r.sum)) },
	"ialltoall": func(r *collRank, _ int) {
		waited(mpi.Ialltoall(r.world, r.out[:r.n*r.world.Size()], r.in[:r.n*r.world.Size()]))
	},
	"neighbor": func(r *collRank, _ int) { rankside.Check(mpi.NeighborAlltoall(r.ring, r.out[:2*r.n], r.in[:2*r.n])) },
}

// hasAlgorithm tells whether a benchmark reports its algorithm: those of neighbours and
// those that do not block do not know it.
func hasAlgorithm(benchmark string) bool {
	return benchmark != "neighbor" && !strings.HasPrefix(benchmark, "i")
}

// waited is for a nonblocking operation that nothing is done meanwhile.
func waited(request mpi.Request, err error) {
	rankside.Check(err)
	rankside.Value(request.Wait())
}

// collRankMain is the rank program; its arguments are those of runner/peer/coll.c, and the number of
// goroutines.
func collRankMain(args []string) {
	goroutines := 1
	if len(args) > 3 {
		rankside.ScanArgs("those of a benchmark, and goroutines", args[3:], &goroutines)
		args = args[:3]
	}
	rankside.TimedRank(args, collectives,
		func(world *mpi.Comm, step func(*collRank, int), n int, limits rankside.Pace) {
			callers := make(collCallers, goroutines)
			for i := range callers {
				caller := newCollRank(world, hasAlgorithm(args[0]), n)
				callers[i] = caller
				if i < len(callers)-1 { // the last caller has the world itself
					caller.world = rankside.Value(world.Dup())
				}
			}
			callers.measure(world, step, limits)
			callers.free()
		})
}

func newCollRank(world *mpi.Comm, named bool, n int) *collRank {
	grid := rankside.Value(mpi.CartCreate(world, []int{world.Size()}, []bool{true}))
	room := max(n*max(2, world.Size()), 8*world.Size()) // reduce_scatter has an element for each
	return &collRank{
		world: world, ring: grid.Comm, named: named, n: n, sum: mpi.Sum[float64](),
		out: rankside.Touched(room), in: rankside.Touched(room),
		outF: slices.Repeat([]float64{1}, room/8)[:n/8], inF: slices.Repeat([]float64{1}, room/8)[:n/8],
	}
}

// collCallers are the goroutines of a rank. One alone is that which the rank has.
type collCallers []*collRank

// free frees the communicators that were made for the callers.
func (c collCallers) free() {
	for i, caller := range c {
		rankside.Check(caller.ring.Free())
		if i == len(c)-1 {
			break
		}
		rankside.Check(caller.world.Free())
	}
}

// call has each caller make some calls, and waits for all, or for the first error: the other goroutines
// would wait for this rank's part.
func (c collCallers) call(step func(*collRank, int), first, calls int) {
	if len(c) == 1 {
		c[0].call(step, first, calls)
		return
	}
	ended := make(chan error, len(c))
	for _, caller := range c {
		go func() { ended <- rankside.Try(func() { caller.call(step, first, calls) }) }()
	}
	for range c {
		rankside.Check(<-ended)
	}
}

func (r *collRank) call(step func(*collRank, int), first, calls int) {
	for i := first; i < first+calls; i++ {
		step(r, i%r.world.Size())
	}
}

// measure warms up and lets rank 0 print the line that parseLines reads.
func (c collCallers) measure(world *mpi.Comm, step func(*collRank, int), limits rankside.Pace) {
	r, size := c[0], world.Size()
	reps := limits.WarmUp(world, func(i int) { c.call(step, i, 1) })
	for range 2 {
		rankside.Check(world.Barrier())
	}
	start := time.Now()
	c.call(step, 0, reps)
	t := float64(time.Since(start).Nanoseconds()) / 1e3 / float64(reps*len(c))
	algorithm := ""
	if r.named {
		algorithm = r.world.Algorithm()
	}
	all := make([]float64, size)
	rankside.Check(mpi.Gather(world, []float64{t}, all, 0))
	if world.Rank() != 0 {
		return
	}
	sum, low, high := 0.0, t, t
	for _, v := range all {
		sum, low, high = sum+v, min(low, v), max(high, v)
	}
	fmt.Printf("%d %d %.4f %.4f %.4f %s\n", r.n, reps, sum/float64(size), low, high, algorithm)
}
