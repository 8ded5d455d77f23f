package overlap

import (
	"fmt"
	"time"

	"github.com/gopvas/gopvas/internal/lab/bench/rankside"
	"github.com/gopvas/gopvas/mpi"
)

// chainChunk is the length of the pieces in which data goes down the chain, so that
// several hops are underway at a time.
const chainChunk = 64 << 10

// A chainRank is a rank of Chain. runner/peer/overlap_chain.c does the same in C, by messages.
type chainRank struct {
	world  *mpi.Comm
	period time.Duration
	buf    []byte
	spin   *matrices
}

// chainRankMain is the rank program. Its arguments are bytes, milliseconds and
// repetitions.
func chainRankMain(args []string) {
	var n, reps int
	var ms float64
	rankside.ScanArgs("bytes, milliseconds and repetitions", args, &n, &ms, &reps)
	mpi.Run(func(world *mpi.Comm) error {
		r := &chainRank{world, time.Duration(ms * float64(time.Millisecond)), rankside.Touched(n), newMatrices(40)}
		chain, err := r.graph()
		if err != nil {
			return err
		}
		for i := range reps {
			if err := r.once(&chain, byte(i+1)); err != nil {
				return err
			}
		}
		return chain.Free()
	})
}

// graph makes this rank's link of the chain: it gives each chunk on as it is there
// (the pipelined broadcast of the KACC paper).
func (r *chainRank) graph() (mpi.Request, error) {
	g := mpi.NewGraph(r.world)
	rank, last := r.world.Rank(), r.world.Size()-1
	for at := 0; at < len(r.buf); at += chainChunk {
		chunk := r.buf[at:min(at+chainChunk, len(r.buf))]
		from := mpi.GraphStart
		if rank > 0 {
			from = mpi.RecvNode(g, chunk, rank-1)
		}
		if rank < last {
			g.Connect(from, mpi.SendNode(g, chunk, rank+1))
		}
	}
	g.Tie()
	return g.Prepare()
}

// once sends the data down the chain. Rank 0 prints the microseconds.
func (r *chainRank) once(chain *mpi.Request, stamp byte) error {
	rank, last, end := r.world.Rank(), r.world.Size()-1, len(r.buf)-1
	if rank == 0 {
		r.buf[0], r.buf[end] = stamp, stamp
	}
	if err := r.world.Barrier(); err != nil {
		return err
	}
	begun := time.Now().UnixMicro() // comparable between the ranks
	if err := chain.Start(); err != nil {
		return err
	}
	for done := rank == 0 || rank == last; !done; {
		r.compute()
		var err error
		if _, done, err = chain.Test(); err != nil {
			return err
		}
	}
	if _, err := chain.Wait(); err != nil {
		return err
	}
	ended := time.Now().UnixMicro()
	if r.buf[0] != stamp || r.buf[end] != stamp {
		return fmt.Errorf("bench: chain: repetition %d brought %d and %d", stamp, r.buf[0], r.buf[end])
	}
	return r.print(begun, ended)
}

// print prints the time from when the first rank began to when the last had ended.
func (r *chainRank) print(begun, ended int64) error {
	all := make([]int64, 2*r.world.Size())
	if err := mpi.Gather(r.world, []int64{begun, ended}, all, 0); err != nil {
		return err
	}
	if r.world.Rank() == 0 {
		fmt.Println(all[len(all)-1] - all[0])
	}
	return nil
}

// compute computes for a period of the clock.
func (r *chainRank) compute() {
	for start := time.Now(); time.Since(start) < r.period; {
		r.spin.multiply()
	}
}
