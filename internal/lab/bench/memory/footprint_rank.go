package memory

import (
	"fmt"
	"time"

	"github.com/gopvas/gopvas/internal/lab/bench/rankside"
	"github.com/gopvas/gopvas/mpi"
)

// footprint is a rank of Footprint. runner/peer/footprint.c does the same in C.
type footprint struct {
	world   *mpi.Comm
	block   int // bytes from one rank to another
	limits  rankside.Pace
	out, in []byte
	spent   time.Duration // in calls that count
}

// footprintRankMain is the rank program. Its arguments are bytes, repetitions, the
// limit in seconds, and the number of ranks: the buffers are made before Init, as the
// reading before the first call takes place in Init.
func footprintRankMain(args []string) {
	f := &footprint{}
	var ranks int
	var seconds float64
	rankside.ScanArgs("bytes, repetitions, seconds and ranks", args, &f.block, &f.limits.Repetitions, &seconds, &ranks)
	f.limits.Limit = time.Duration(seconds * float64(time.Second))
	f.out, f.in = rankside.Touched(f.block*ranks), rankside.Touched(f.block*ranks)
	mpi.Run(func(world *mpi.Comm) error {
		f.world = world
		return f.run()
	})
}

// run makes one call that does not count, then the others in portions that double in
// size, until the limit is reached. Rank 0 prints "repetitions microseconds".
func (f *footprint) run() error {
	rank, size := f.world.Rank(), f.world.Size()
	for i := range f.out {
		f.out[i] = byte(rank + i/f.block)
	}
	if err := f.calls(1); err != nil {
		return err
	}
	done := 0
	f.spent = 0
	portion := []int{1}
	for portion[0] > 0 {
		if err := f.calls(portion[0]); err != nil {
			return err
		}
		done += portion[0]
		portion[0] = f.limits.More(done, f.spent)
		if err := mpi.Bcast(f.world, portion, 0); err != nil {
			return err
		}
	}
	for peer := range size {
		if got, want := f.in[peer*f.block], byte(peer+rank); got != want {
			return fmt.Errorf("the block of rank %d begins with %d, not %d", peer, got, want)
		}
	}
	mine := []float64{float64(f.spent.Nanoseconds()) / 1e3 / float64(done)}
	sum := []float64{0}
	if err := mpi.Reduce(f.world, mine, sum, mpi.Sum[float64](), 0); err != nil {
		return err
	}
	if rank == 0 {
		fmt.Printf("%d %.4f\n", done, sum[0]/float64(size))
	}
	return nil
}

// calls makes some calls and adds the time that they have taken.
func (f *footprint) calls(n int) error {
	if err := f.world.Barrier(); err != nil {
		return err
	}
	start := time.Now()
	for range n {
		if err := mpi.Alltoall(f.world, f.out, f.in); err != nil {
			return err
		}
	}
	f.spent += time.Since(start)
	return nil
}
