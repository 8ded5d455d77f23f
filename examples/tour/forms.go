package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gopvas/gopvas/mpi"
)

func init() {
	stops["moves"], stops["sums"], stops["borders"] = moves, sums, borders
}

// forms are nonblocking operations that are underway, and the same ones prepared.
type forms struct {
	now, later []mpi.Request
	err        error
}

func (f *forms) begun(r mpi.Request, err error) {
	f.now, f.err = append(f.now, r), errors.Join(f.err, err)
}

func (f *forms) prepared(r mpi.Request, err error) {
	f.later, f.err = append(f.later, r), errors.Join(f.err, err)
}

// finish waits for what was begun, then does what was prepared, into the same buffers.
func (f *forms) finish(results [][]int) error {
	if err := errors.Join(f.err, mpi.WaitAll(f.now, nil)); err != nil {
		return err
	}
	before := fmt.Sprint(results)
	for _, b := range results {
		clear(b)
	}
	for i := range f.later {
		if err := f.later[i].Start(); err != nil {
			return err
		}
	}
	if err := mpi.WaitAll(f.later, nil); err != nil {
		return err
	}
	if after := fmt.Sprint(results); after != before {
		return fmt.Errorf("%s, and then %s", before, after)
	}
	for i := range f.later {
		if err := f.later[i].Free(); err != nil {
			return err
		}
	}
	return nil
}

// rows returns so many buffers of n elements.
func rows(count, n int) [][]int {
	all := make([][]int, count)
	for i := range all {
		all[i] = make([]int, n)
	}
	return all
}

// each returns a view of each element.
func each(buf []int) []mpi.View[int] {
	views := make([]mpi.View[int], len(buf))
	for i := range views {
		views[i] = mpi.Whole(buf[i : i+1])
	}
	return views
}

// All that moves data, with an element for each rank.
func moves(world *mpi.Comm) error {
	n, me := world.Size(), world.Rank()
	value, mine, ones := []int{7}, []int{me}, slices.Repeat([]int{1}, n)
	row, got := make([]int, n), rows(9, n)
	for i := range row {
		row[i] = 10*me + i
	}
	var f forms
	f.begun(world.Ibarrier())
	f.begun(mpi.Ibcast(world, value, 0))
	f.begun(mpi.Igather(world, mine, got[0], 0))
	f.begun(mpi.Igatherv(world, mine, got[1], ones, nil, 0))
	f.begun(mpi.Iscatter(world, row, got[2][:1], 0))
	f.begun(mpi.Iscatterv(world, row, ones, nil, got[3][:1], 0))
	f.begun(mpi.Iallgather(world, mine, got[4]))
	f.begun(mpi.Iallgatherv(world, mine, got[5], ones, nil))
	f.begun(mpi.Ialltoall(world, row, got[6]))
	f.begun(mpi.Ialltoallv(world, row, ones, nil, got[7], ones, nil))
	f.begun(mpi.Ialltoallw(world, each(row), each(got[8])))
	f.prepared(world.BarrierInit())
	f.prepared(mpi.BcastInit(world, value, 0))
	f.prepared(mpi.GatherInit(world, mine, got[0], 0))
	f.prepared(mpi.GathervInit(world, mine, got[1], ones, nil, 0))
	f.prepared(mpi.ScatterInit(world, row, got[2][:1], 0))
	f.prepared(mpi.ScattervInit(world, row, ones, nil, got[3][:1], 0))
	f.prepared(mpi.AllgatherInit(world, mine, got[4]))
	f.prepared(mpi.AllgathervInit(world, mine, got[5], ones, nil))
	f.prepared(mpi.AlltoallInit(world, row, got[6]))
	f.prepared(mpi.AlltoallvInit(world, row, ones, nil, got[7], ones, nil))
	f.prepared(mpi.AlltoallwInit(world, each(row), each(got[8])))
	if err := f.finish(got); err != nil {
		return err
	}
	fmt.Printf("rank %d: dealt %d, gathered %v, exchanged %v\n", me, got[2][0], got[4], got[8])
	return nil
}

// All that combines data.
func sums(world *mpi.Comm) error {
	n, me := world.Size(), world.Rank()
	add, ones := mpi.Sum[int](), slices.Repeat([]int{1}, n)
	row, got := make([]int, n), rows(6, n)
	for i := range row {
		row[i] = 10*me + i
	}
	var f forms
	f.begun(mpi.Ireduce(world, row, got[0], add, 0))
	f.begun(mpi.Iallreduce(world, row, got[1], add))
	f.begun(mpi.IreduceScatterBlock(world, row, got[2][:1], add))
	f.begun(mpi.IreduceScatter(world, row, got[3][:1], ones, add))
	f.begun(mpi.Iscan(world, row, got[4], add))
	f.begun(mpi.Iexscan(world, row, got[5], add))
	f.prepared(mpi.ReduceInit(world, row, got[0], add, 0))
	f.prepared(mpi.AllreduceInit(world, row, got[1], add))
	f.prepared(mpi.ReduceScatterBlockInit(world, row, got[2][:1], add))
	f.prepared(mpi.ReduceScatterInit(world, row, got[3][:1], ones, add))
	f.prepared(mpi.ScanInit(world, row, got[4], add))
	f.prepared(mpi.ExscanInit(world, row, got[5], add))
	if err := f.finish(got); err != nil {
		return err
	}
	fmt.Printf("rank %d: sum %v, own part %d, so far %v, before %v\n", me, got[1], got[2][0], got[4], got[5])
	return nil
}

// What neighbours on a ring exchange: with the lower one and the higher one.
func borders(world *mpi.Comm) error {
	n, me := world.Size(), world.Rank()
	cart, err := mpi.CartCreate(world, []int{n}, []bool{true})
	if err != nil {
		return err
	}
	ring := cart.Comm
	mine, both, ones, got := []int{me}, []int{10 * me, 10*me + 1}, []int{1, 1}, rows(5, 2)
	if err := errors.Join(
		mpi.NeighborAllgather(ring, mine, got[0]),
		mpi.NeighborAllgatherv(ring, mine, got[1], ones, nil),
		mpi.NeighborAlltoall(ring, both, got[2]),
		mpi.NeighborAlltoallv(ring, both, ones, nil, got[3], ones, nil),
		mpi.NeighborAlltoallw(ring, each(both), each(got[4])),
	); err != nil {
		return err
	}
	var f forms
	f.begun(mpi.IneighborAllgather(ring, mine, got[0]))
	f.begun(mpi.IneighborAllgatherv(ring, mine, got[1], ones, nil))
	f.begun(mpi.IneighborAlltoall(ring, both, got[2]))
	f.begun(mpi.IneighborAlltoallv(ring, both, ones, nil, got[3], ones, nil))
	f.begun(mpi.IneighborAlltoallw(ring, each(both), each(got[4])))
	f.prepared(mpi.NeighborAllgatherInit(ring, mine, got[0]))
	f.prepared(mpi.NeighborAllgathervInit(ring, mine, got[1], ones, nil))
	f.prepared(mpi.NeighborAlltoallInit(ring, both, got[2]))
	f.prepared(mpi.NeighborAlltoallvInit(ring, both, ones, nil, got[3], ones, nil))
	f.prepared(mpi.NeighborAlltoallwInit(ring, each(both), each(got[4])))
	if err := f.finish(got); err != nil {
		return err
	}
	fmt.Printf("rank %d: gathered %v, exchanged %v\n", me, got[1], got[4])
	return cart.Free()
}
