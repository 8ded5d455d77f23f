package main

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gopvas/gopvas/mpi"
)

func init() {
	stops["parts"], stops["operators"] = parts, operators
}

// The v forms take parts of different lengths: here rank i has i+1 elements.
func parts(world *mpi.Comm) error {
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
}

// What the operators do, without other ranks.
func operators(world *mpi.Comm) error {
	if world.Rank() > 0 {
		return nil
	}
	numbers := map[string]*mpi.Op[uint8]{"Sum": mpi.Sum[uint8](), "Prod": mpi.Prod[uint8](), "Min": mpi.Min[uint8](),
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
}
