// Collectives, run by a test of pvasrun, makes collective calls: those that its arguments name,
// or all of them. It makes each call blocking and nonblocking, short and long, from both ends of
// the communicator.
package main

import (
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/gopvas/gopvas/mpi"
)

// call is one collective operation on vectors of n elements, blocking and nonblocking.
type call struct {
	blocking    func(c *mpi.Comm, n, root int) error
	nonblocking func(c *mpi.Comm, n, root int) (mpi.Request, error)
}

func vector(n int) []int64 { return make([]int64, n) }

// counts are blocks of unlike lengths, and where they begin.
func counts(c *mpi.Comm, n int) (list, displs []int, sum int) {
	for i := range c.Size() {
		list, displs = append(list, n+i), append(displs, sum)
		sum += n + i
	}
	return list, displs, sum
}

var calls = map[string]call{
	"barrier": {
		func(c *mpi.Comm, _, _ int) error { return c.Barrier() },
		func(c *mpi.Comm, _, _ int) (mpi.Request, error) { return c.Ibarrier() },
	},
	"bcast": {
		func(c *mpi.Comm, n, root int) error { return mpi.Bcast(c, vector(n), root) },
		func(c *mpi.Comm, n, root int) (mpi.Request, error) { return mpi.Ibcast(c, vector(n), root) },
	},
	"reduce": {
		func(c *mpi.Comm, n, root int) error {
			return mpi.Reduce(c, vector(n), vector(n), mpi.Sum[int64](), root)
		},
		func(c *mpi.Comm, n, root int) (mpi.Request, error) {
			return mpi.Ireduce(c, vector(n), vector(n), mpi.Sum[int64](), root)
		},
	},
	"allreduce": {
		func(c *mpi.Comm, n, _ int) error { return mpi.Allreduce(c, vector(n), vector(n), mpi.Sum[int64]()) },
		func(c *mpi.Comm, n, _ int) (mpi.Request, error) {
			return mpi.Iallreduce(c, vector(n), vector(n), mpi.Sum[int64]())
		},
	},
	"reduce_scatter": {
		func(c *mpi.Comm, n, _ int) error {
			return mpi.ReduceScatterBlock(c, vector(n*c.Size()), vector(n), mpi.Sum[int64]())
		},
		func(c *mpi.Comm, n, _ int) (mpi.Request, error) {
			return mpi.IreduceScatterBlock(c, vector(n*c.Size()), vector(n), mpi.Sum[int64]())
		},
	},
	"scan": {
		func(c *mpi.Comm, n, _ int) error { return mpi.Scan(c, vector(n), vector(n), mpi.Sum[int64]()) },
		func(c *mpi.Comm, n, _ int) (mpi.Request, error) {
			return mpi.Iscan(c, vector(n), vector(n), mpi.Sum[int64]())
		},
	},
	"exscan": {
		func(c *mpi.Comm, n, _ int) error { return mpi.Exscan(c, vector(n), vector(n), mpi.Sum[int64]()) },
		func(c *mpi.Comm, n, _ int) (mpi.Request, error) {
			return mpi.Iexscan(c, vector(n), vector(n), mpi.Sum[int64]())
		},
	},
	"gather": {
		func(c *mpi.Comm, n, root int) error { return mpi.Gather(c, vector(n), vector(n*c.Size()), root) },
		func(c *mpi.Comm, n, root int) (mpi.Request, error) {
			return mpi.Igather(c, vector(n), vector(n*c.Size()), root)
		},
	},
	"scatter": {
		func(c *mpi.Comm, n, root int) error { return mpi.Scatter(c, vector(n*c.Size()), vector(n), root) },
		func(c *mpi.Comm, n, root int) (mpi.Request, error) {
			return mpi.Iscatter(c, vector(n*c.Size()), vector(n), root)
		},
	},
	"gatherv": {
		func(c *mpi.Comm, n, root int) error {
			list, displs, sum := counts(c, n)
			return mpi.Gatherv(c, vector(n+c.Rank()), vector(sum), list, displs, root)
		},
		nil,
	},
	"allgather": {
		func(c *mpi.Comm, n, _ int) error { return mpi.Allgather(c, vector(n), vector(n*c.Size())) },
		func(c *mpi.Comm, n, _ int) (mpi.Request, error) {
			return mpi.Iallgather(c, vector(n), vector(n*c.Size()))
		},
	},
	"alltoall": {
		func(c *mpi.Comm, n, _ int) error { return mpi.Alltoall(c, vector(n*c.Size()), vector(n*c.Size())) },
		func(c *mpi.Comm, n, _ int) (mpi.Request, error) {
			return mpi.Ialltoall(c, vector(n*c.Size()), vector(n*c.Size()))
		},
	},
	"alltoallv": {
		func(c *mpi.Comm, n, _ int) error {
			list, displs, sum := counts(c, n)
			own, at := make([]int, c.Size()), make([]int, c.Size())
			for i := range own {
				own[i], at[i] = n+c.Rank(), i*(n+c.Rank())
			}
			return mpi.Alltoallv(c, vector(sum), list, displs, vector(c.Size()*(n+c.Rank())), own, at)
		},
		nil,
	},
	"neighbor": {
		func(c *mpi.Comm, n, _ int) error {
			g, err := around(c)
			if err != nil {
				return err
			}
			if err := mpi.NeighborAlltoall(g, vector(2*n), vector(2*n)); err != nil {
				return err
			}
			return g.Free()
		},
		nil,
	},
}

// around is a ring of all ranks.
func around(c *mpi.Comm) (*mpi.Comm, error) {
	ring, err := mpi.CartCreate(c, []int{c.Size()}, []bool{true})
	if err != nil {
		return nil, err
	}
	return ring.Comm, nil
}

func main() {
	mpi.Run(func(world *mpi.Comm) error {
		names := os.Args[1:]
		if len(names) == 0 {
			names = slices.Sorted(maps.Keys(calls))
		}
		even, err := world.Split(world.Rank()%2, -world.Rank())
		if err != nil {
			return err
		}
		for _, name := range names {
			for _, c := range []*mpi.Comm{world, even} {
				for _, n := range []int{0, 1, 100, 20000} {
					if err := both(calls[name], c, n); err != nil {
						return fmt.Errorf("%s of %d: %w", name, n, err)
					}
				}
			}
		}
		return even.Free()
	})
}

// both makes a call from the first and from the last rank, three times each.
func both(f call, c *mpi.Comm, n int) error {
	for i := range 6 {
		root := i % 2 * (c.Size() - 1)
		if err := f.blocking(c, n, root); err != nil || f.nonblocking == nil {
			if err != nil {
				return err
			}
			continue
		}
		r, err := f.nonblocking(c, n, root)
		if err != nil {
			return err
		}
		if _, err := r.Wait(); err != nil {
			return err
		}
	}
	return nil
}
