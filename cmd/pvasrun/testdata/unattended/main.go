// Command unattended is a rank whose nonblocking operations go on while it makes no call. The ranks between the first
// and the last begin an operation, and make no call until the last rank has made a file. That rank is done only with
// their help. With an operator that only its rank may run, that is checked.
package main

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/gopvas/gopvas/mpi"
)

const length = 20_000 // float64s: of several pieces

func main() {
	mpi.Run(func(world *mpi.Comm) error {
		for _, what := range []string{"bcast", "graph", "reduce"} {
			if err := alone(world, what, os.Args[1]+"/"+what); err != nil {
				return fmt.Errorf("%s: %w", what, err)
			}
		}
		return own(world)
	})
}

// alone does an operation.
func alone(world *mpi.Comm, what, file string) error {
	rank, last := world.Rank(), world.Size()-1
	buf, result := make([]float64, length), make([]float64, length)
	for i := range buf {
		buf[i] = float64(rank)
	}
	if err := world.Barrier(); err != nil {
		return err
	}
	r, err := begin(world, what, buf, result)
	if err != nil {
		return err
	}
	if rank != 0 && rank != last {
		if err := compute(file); err != nil {
			return err
		}
	}
	if _, err := r.Wait(); err != nil {
		return err
	}
	if rank != last {
		return nil
	}
	want := 0.0
	if what == "reduce" {
		buf, want = result, float64(last*(last+1)/2)
	}
	if buf[0] != want || buf[length-1] != want {
		return fmt.Errorf("%v and %v came in place of %v", buf[0], buf[length-1], want)
	}
	return os.WriteFile(file, nil, 0o600)
}

// begin begins what the last rank completes with the help of those between.
func begin(world *mpi.Comm, what string, buf, result []float64) (mpi.Request, error) {
	rank, last := world.Rank(), world.Size()-1
	switch what {
	case "bcast":
		return mpi.Ibcast(world, buf, 0)
	case "reduce":
		return mpi.Ireduce(world, buf, result, mpi.Sum[float64](), last)
	}
	g := mpi.NewGraph(world)
	at := mpi.GraphStart
	if rank > 0 {
		at = mpi.RecvNode(g, buf, rank-1)
	}
	if rank < last {
		g.Connect(at, mpi.SendNode(g, buf, rank+1))
	}
	g.Tie()
	return g.Issue()
}

// compute makes no call until there is a file.
func compute(file string) error {
	x := 1.0
	for start := time.Now(); time.Since(start) < time.Minute; {
		for range 100_000 {
			x = 1 + 1/x
		}
		if _, err := os.Stat(file); err == nil {
			return nil
		}
	}
	return errors.New("nothing goes on while this rank computes")
}

// own reduces by an operator of the program, which must run in calls of its rank.
func own(world *mpi.Comm) error {
	var calls, outside atomic.Int32
	op := mpi.NewOp(func(inout, in []float64) {
		if calls.Load() == 0 {
			outside.Add(1)
		}
		for i := range in {
			inout[i] += in[i]
		}
	}, true)
	buf, result := make([]float64, 10), make([]float64, 10)
	buf[9] = 1
	calls.Store(1)
	r, err := mpi.Iallreduce(world, buf, result, op)
	if err != nil {
		return err
	}
	calls.Store(0)
	for start := time.Now(); time.Since(start) < 50*time.Millisecond; {
		world.Rank() // no call that makes progress
	}
	calls.Store(1)
	if _, err := r.Wait(); err != nil {
		return err
	}
	if n := outside.Load(); n > 0 || result[9] != float64(world.Size()) {
		return fmt.Errorf("own operator: %d calls outside of those of the rank, result %v", n, result[9])
	}
	return nil
}
