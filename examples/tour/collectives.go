package main

import (
	"fmt"

	"github.com/gopvas/gopvas/mpi"
)

func init() {
	stops["bcast"], stops["gather"], stops["scatter"], stops["allgather"] = bcast, gather, scatter, allgather
	stops["reduce"], stops["operator"], stops["where"], stops["scan"] = reduce, operator, where, scan
	stops["alltoall"], stops["reducescatter"] = alltoall, reduceScatter
}

// Rank 0 gives all the same.
func bcast(world *mpi.Comm) error {
	settings := make([]float64, 3)
	if world.Rank() == 0 {
		settings = []float64{0.1, 20, 300}
	}
	if err := mpi.Bcast(world, settings, 0); err != nil {
		return err
	}
	fmt.Printf("rank %d: %v\n", world.Rank(), settings)
	return nil
}

// Rank 0 collects lengths, and then parts of these lengths; the others need no buffer for
// them.
func gather(world *mpi.Comm) error {
	n, me := world.Size(), world.Rank()
	part := make([]int, me+1)
	for i := range part {
		part[i] = me
	}
	var counts, all []int
	if me == 0 {
		counts = make([]int, n)
	}
	if err := mpi.Gather(world, []int{len(part)}, counts, 0); err != nil {
		return err
	}
	if me == 0 {
		all = make([]int, n*(n+1)/2)
	}
	if err := mpi.Gatherv(world, part, all, counts, nil, 0); err != nil || me > 0 {
		return err
	}
	fmt.Println(all)
	return nil
}

// Rank 0 deals out blocks of two.
func scatter(world *mpi.Comm) error {
	var all []int
	if world.Rank() == 0 {
		for i := range 2 * world.Size() {
			all = append(all, i*i)
		}
	}
	mine := make([]int, 2)
	if err := mpi.Scatter(world, all, mine, 0); err != nil {
		return err
	}
	fmt.Printf("rank %d: %v\n", world.Rank(), mine)
	return nil
}

// All get what each has.
func allgather(world *mpi.Comm) error {
	letters := make([]byte, world.Size())
	if err := mpi.Allgather(world, []byte{'a' + byte(world.Rank())}, letters); err != nil {
		return err
	}
	fmt.Printf("rank %d: %s\n", world.Rank(), letters)
	return nil
}

// All get the sum, element by element. A nil send buffer means: in place.
func reduce(world *mpi.Comm) error {
	sums := []int{1, world.Rank()}
	if err := mpi.Allreduce(world, nil, sums, mpi.Sum[int]()); err != nil {
		return err
	}
	fmt.Printf("rank %d: %d ranks, numbers add up to %d\n", world.Rank(), sums[0], sums[1])
	return nil
}

// An operator of the program: the composition of x -> a*x+b, where the order counts.
func operator(world *mpi.Comm) error {
	type affine struct{ A, B int }
	compose := mpi.NewOp(func(inout, in []affine) {
		for i := range inout {
			f, g := inout[i], in[i] // f is of lower ranks
			inout[i] = affine{f.A * g.A, g.A*f.B + g.B}
		}
	}, false) // does not commute
	result := make([]affine, 1)
	if err := mpi.Reduce(world, []affine{{2, world.Rank()}}, result, compose, 0); err != nil {
		return err
	}
	if world.Rank() == 0 {
		fmt.Printf("all in turn: %d*x+%d, commutes: %v\n", result[0].A, result[0].B, compose.Commutative())
	}
	return nil
}

// The largest and the smallest value, and which rank has them.
func where(world *mpi.Comm) error {
	me := world.Rank()
	mine := []mpi.Loc[float64]{{Value: float64(me * (4 - me)), Index: me}}
	most, least := make([]mpi.Loc[float64], 1), make([]mpi.Loc[float64], 1)
	if err := mpi.Allreduce(world, mine, most, mpi.MaxLoc[float64]()); err != nil {
		return err
	}
	if err := mpi.Allreduce(world, mine, least, mpi.MinLoc[float64]()); err != nil {
		return err
	}
	if me == 0 {
		fmt.Printf("rank %d has the largest value, %g\n", most[0].Index, most[0].Value)
		fmt.Printf("rank %d has the smallest value, %g\n", least[0].Index, least[0].Value)
	}
	return nil
}

// Each rank learns where its part begins and ends in a file that all write.
func scan(world *mpi.Comm) error {
	length, from, to := []int64{int64(10 * (world.Rank() + 1))}, []int64{0}, []int64{0}
	if err := mpi.Exscan(world, length, from, mpi.Sum[int64]()); err != nil {
		return err
	}
	if err := mpi.Scan(world, length, to, mpi.Sum[int64]()); err != nil { // its own part included
		return err
	}
	fmt.Printf("rank %d writes bytes %d to %d\n", world.Rank(), from[0], to[0]-1)
	return nil
}

// Each rank has a block for each other one: a transpose.
func alltoall(world *mpi.Comm) error {
	n, me := world.Size(), world.Rank()
	row, column := make([]int, n), make([]int, n)
	for j := range row {
		row[j] = 10*me + j
	}
	if err := mpi.Alltoall(world, row, column); err != nil {
		return err
	}
	fmt.Printf("rank %d: row %02d, column %02d\n", me, row, column)
	return nil
}

// The sum of all vectors is left in parts: one element on each rank, then all on the last.
func reduceScatter(world *mpi.Comm) error {
	n, me := world.Size(), world.Rank()
	vector := make([]int, n)
	for j := range vector {
		vector[j] = me * j
	}
	mine := make([]int, 1)
	if err := mpi.ReduceScatterBlock(world, vector, mine, mpi.Sum[int]()); err != nil {
		return err
	}
	fmt.Printf("rank %d: element %d of the sum is %d\n", me, me, mine[0])
	counts := make([]int, n)
	counts[n-1] = n
	part := make([]int, counts[me])
	if err := mpi.ReduceScatter(world, vector, part, counts, mpi.Sum[int]()); err != nil {
		return err
	}
	if me == n-1 {
		fmt.Printf("rank %d: the sum is %v\n", me, part)
	}
	return nil
}
