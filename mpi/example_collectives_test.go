//go:build !race

package mpi_test

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gopvas/gopvas/mpi"
)

// Rank 0 gives all the same.
func ExampleBcast() {
	ranks(4, func(world *mpi.Comm) error {
		settings := make([]float64, 3)
		if world.Rank() == 0 {
			settings = []float64{0.1, 20, 300}
		}
		if err := mpi.Bcast(world, settings, 0); err != nil {
			return err
		}
		fmt.Printf("rank %d: %v\n", world.Rank(), settings)
		return nil
	})
	// Unordered output:
	// rank 0: [0.1 20 300]
	// rank 1: [0.1 20 300]
	// rank 2: [0.1 20 300]
	// rank 3: [0.1 20 300]
}

// Rank 0 collects lengths, and then parts of these lengths; the others need no buffer for
// them.
func ExampleGatherv() {
	ranks(4, func(world *mpi.Comm) error {
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
	})
	// Output: [0 1 1 2 2 2 3 3 3 3]
}

// The v forms take parts of different lengths: here rank i has i+1 elements.
func ExampleAlltoallv() {
	ranks(4, func(world *mpi.Comm) error {
		n, me := world.Size(), world.Rank()
		counts, all := make([]int, n), make([]int, n*(n+1)/2)
		for rank := range counts {
			counts[rank] = rank + 1
		}
		if me == 0 {
			for i := range all {
				all[i] = i
			}
		}
		part := make([]int, counts[me])
		if err := mpi.Scatterv(world, all, counts, nil, part, 0); err != nil {
			return err
		}
		if err := mpi.Allgatherv(world, part, all, counts, nil); err != nil {
			return err
		}
		// Each sends counts[i] elements to rank i, and gets as many as it has from each.
		from := slices.Repeat([]int{counts[me]}, n)
		got := make([]int, n*counts[me])
		if err := mpi.Alltoallv(world, all, counts, nil, got, from, nil); err != nil {
			return err
		}
		fmt.Printf("rank %d: part %v, all %v, %d from each: %v\n", me, part, all, counts[me], got)
		return nil
	})
	// Unordered output:
	// rank 0: part [0], all [0 1 2 3 4 5 6 7 8 9], 1 from each: [0 0 0 0]
	// rank 1: part [1 2], all [0 1 2 3 4 5 6 7 8 9], 2 from each: [1 2 1 2 1 2 1 2]
	// rank 2: part [3 4 5], all [0 1 2 3 4 5 6 7 8 9], 3 from each: [3 4 5 3 4 5 3 4 5 3 4 5]
	// rank 3: part [6 7 8 9], all [0 1 2 3 4 5 6 7 8 9], 4 from each: [6 7 8 9 6 7 8 9 6 7 8 9 6 7 8 9]
}

// Rank 0 deals out blocks of two.
func ExampleScatter() {
	ranks(4, func(world *mpi.Comm) error {
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
	})
	// Unordered output:
	// rank 0: [0 1]
	// rank 1: [4 9]
	// rank 2: [16 25]
	// rank 3: [36 49]
}

// All get what each has.
func ExampleAllgather() {
	ranks(4, func(world *mpi.Comm) error {
		letters := make([]byte, world.Size())
		if err := mpi.Allgather(world, []byte{'a' + byte(world.Rank())}, letters); err != nil {
			return err
		}
		fmt.Printf("rank %d: %s\n", world.Rank(), letters)
		return nil
	})
	// Unordered output:
	// rank 0: abcd
	// rank 1: abcd
	// rank 2: abcd
	// rank 3: abcd
}

// Each rank has a block for each other one: a transpose.
func ExampleAlltoall() {
	ranks(4, func(world *mpi.Comm) error {
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
	})
	// Unordered output:
	// rank 0: row [00 01 02 03], column [00 10 20 30]
	// rank 1: row [10 11 12 13], column [01 11 21 31]
	// rank 2: row [20 21 22 23], column [02 12 22 32]
	// rank 3: row [30 31 32 33], column [03 13 23 33]
}

// What the operators do, without other ranks.
func ExampleReduceLocal() {
	ranks(4, func(world *mpi.Comm) error {
		if world.Rank() > 0 {
			return nil
		}
		numbers := map[string]*mpi.Op[uint8]{
			"Sum": mpi.Sum[uint8](), "Prod": mpi.Prod[uint8](), "Min": mpi.Min[uint8](),
			"Max": mpi.Max[uint8](), "BAnd": mpi.BAnd[uint8](), "BOr": mpi.BOr[uint8](), "BXor": mpi.BXor[uint8]()}
		for _, name := range slices.Sorted(maps.Keys(numbers)) {
			inout := []uint8{6, 9}
			if err := mpi.ReduceLocal(inout, []uint8{3, 10}, numbers[name]); err != nil {
				return err
			}
			fmt.Println(name, inout)
		}
		bools := map[string]*mpi.Op[bool]{"LAnd": mpi.LAnd(), "LOr": mpi.LOr(), "LXor": mpi.LXor()}
		for _, name := range slices.Sorted(maps.Keys(bools)) {
			inout := []bool{false, true, true}
			if err := mpi.ReduceLocal(inout, []bool{false, false, true}, bools[name]); err != nil {
				return err
			}
			fmt.Println(name, inout)
		}
		return nil
	})
	// Unordered output:
	// BAnd [2 8]
	// BOr [7 11]
	// BXor [5 3]
	// LAnd [false false true]
	// LOr [false true true]
	// LXor [false true false]
	// Max [6 10]
	// Min [3 9]
	// Prod [18 90]
	// Sum [9 19]
}

// All get the sum, element by element. A nil send buffer means: in place.
func ExampleReduce() {
	ranks(4, func(world *mpi.Comm) error {
		sums := []int{1, world.Rank()}
		if err := mpi.Allreduce(world, nil, sums, mpi.Sum[int]()); err != nil {
			return err
		}
		fmt.Printf("rank %d: %d ranks, numbers add up to %d\n", world.Rank(), sums[0], sums[1])
		return nil
	})
	// Unordered output:
	// rank 0: 4 ranks, numbers add up to 6
	// rank 1: 4 ranks, numbers add up to 6
	// rank 2: 4 ranks, numbers add up to 6
	// rank 3: 4 ranks, numbers add up to 6
}

// An operator of the program: the composition of x -> a*x+b, where the order counts.
func ExampleNewOp() {
	ranks(4, func(world *mpi.Comm) error {
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
	})
	// Output: all in turn: 16*x+11, commutes: false
}

// The largest and the smallest value, and which rank has them.
func ExampleMinLoc() {
	ranks(4, func(world *mpi.Comm) error {
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
	})
	// Unordered output:
	// rank 2 has the largest value, 4
	// rank 0 has the smallest value, 0
}

// Each rank learns where its part begins and ends in a file that all write.
func ExampleScan() {
	ranks(4, func(world *mpi.Comm) error {
		length, from, to := []int64{int64(10 * (world.Rank() + 1))}, []int64{0}, []int64{0}
		if err := mpi.Exscan(world, length, from, mpi.Sum[int64]()); err != nil {
			return err
		}
		if err := mpi.Scan(world, length, to, mpi.Sum[int64]()); err != nil { // its own part included
			return err
		}
		fmt.Printf("rank %d writes bytes %d to %d\n", world.Rank(), from[0], to[0]-1)
		return nil
	})
	// Unordered output:
	// rank 0 writes bytes 0 to 9
	// rank 1 writes bytes 10 to 29
	// rank 2 writes bytes 30 to 59
	// rank 3 writes bytes 60 to 99
}

// The sum of all vectors is left in parts: one element on each rank, then all on the last.
func ExampleReduceScatter() {
	ranks(4, func(world *mpi.Comm) error {
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
	})
	// Unordered output:
	// rank 0: element 0 of the sum is 0
	// rank 1: element 1 of the sum is 6
	// rank 2: element 2 of the sum is 12
	// rank 3: element 3 of the sum is 18
	// rank 3: the sum is [0 6 12 18]
}
