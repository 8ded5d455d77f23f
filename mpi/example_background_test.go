//go:build !race

package mpi_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/mpi"
)

// A sum goes on while the rank computes.
func ExampleIallreduce() {
	ranks(4, func(world *mpi.Comm) error {
		sum := []int{world.Rank()}
		request, err := mpi.Iallreduce(world, nil, sum, mpi.Sum[int]())
		if err != nil {
			return err
		}
		work := 0
		for i := range 1000 {
			work += i // does not touch sum, which is in use
		}
		if _, err := request.Wait(); err != nil {
			return err
		}
		fmt.Printf("rank %d: sum %d, work %d\n", world.Rank(), sum[0], work)
		return nil
	})
	// Unordered output:
	// rank 0: sum 6, work 499500
	// rank 1: sum 6, work 499500
	// rank 2: sum 6, work 499500
	// rank 3: sum 6, work 499500
}

// A collective operation that is prepared once and started again and again.
func ExampleBcastInit() {
	ranks(4, func(world *mpi.Comm) error {
		value := make([]int, 1)
		request, err := mpi.BcastInit(world, value, 0)
		if err != nil {
			return err
		}
		total := 0
		for step := range 3 {
			if world.Rank() == 0 {
				value[0] = step + 1
			}
			if err := request.Start(); err != nil {
				return err
			}
			if _, err := request.Wait(); err != nil {
				return err
			}
			total += value[0]
		}
		fmt.Printf("rank %d: total %d\n", world.Rank(), total)
		return request.Free()
	})
	// Unordered output:
	// rank 0: total 6
	// rank 1: total 6
	// rank 2: total 6
	// rank 3: total 6
}

// All that moves data, with an element for each rank.
func ExampleIalltoall() {
	ranks(4, func(world *mpi.Comm) error {
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
	})
	// Unordered output:
	// rank 0: dealt 0, gathered [0 1 2 3], exchanged [0 10 20 30]
	// rank 1: dealt 1, gathered [0 1 2 3], exchanged [1 11 21 31]
	// rank 2: dealt 2, gathered [0 1 2 3], exchanged [2 12 22 32]
	// rank 3: dealt 3, gathered [0 1 2 3], exchanged [3 13 23 33]
}

// All that combines data.
func ExampleIscan() {
	ranks(4, func(world *mpi.Comm) error {
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
	})
	// Unordered output:
	// rank 0: sum [60 64 68 72], own part 60, so far [0 1 2 3], before [0 0 0 0]
	// rank 1: sum [60 64 68 72], own part 64, so far [10 12 14 16], before [0 1 2 3]
	// rank 2: sum [60 64 68 72], own part 68, so far [30 33 36 39], before [10 12 14 16]
	// rank 3: sum [60 64 68 72], own part 72, so far [60 64 68 72], before [30 33 36 39]
}

// What neighbours on a ring exchange: with the lower one and the higher one.
func ExampleIneighborAlltoall() {
	ranks(4, func(world *mpi.Comm) error {
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
	})
	// Unordered output:
	// rank 0: gathered [3 1], exchanged [31 10]
	// rank 1: gathered [0 2], exchanged [1 20]
	// rank 2: gathered [1 3], exchanged [11 30]
	// rank 3: gathered [2 0], exchanged [21 0]
}

// A chain of the program's own: a rank sends on what it has received, in the
// background, as soon as it is there.
func ExampleNewGraph() {
	ranks(4, func(world *mpi.Comm) error {
		me, buf := world.Rank(), []byte("--")
		g := mpi.NewGraph(world)
		recv, send := mpi.GraphStart, mpi.GraphEnd
		if me == 0 {
			copy(buf, "ok")
		} else {
			recv = mpi.RecvNode(g, buf, me-1)
		}
		if me+1 < world.Size() {
			send = mpi.SendNode(g, buf, me+1)
		}
		g.Connect(recv, send)
		g.Tie()
		request, err := g.Issue()
		if err != nil {
			return err
		}
		if _, err := request.Wait(); err != nil {
			return err
		}
		fmt.Printf("rank %d: %s\n", me, buf)
		return nil
	})
	// Unordered output:
	// rank 0: ok
	// rank 1: ok
	// rank 2: ok
	// rank 3: ok
}

// A graph that is prepared once: each rank adds its own to the sum of those before it, and
// the ranks after it get that.
func ExampleGraph_Prepare() {
	ranks(4, func(world *mpi.Comm) error {
		me := world.Rank()
		mine, sum := []int{me + 1}, make([]int, 1)
		g := mpi.NewGraph(world)
		g.SetUrgent(true) // before other graphs
		g.SetPolicy(mpi.PolicyShare)
		ready := g.JoinNode() // when sum has all but the own part
		if me == 0 {
			g.Connect(mpi.CopyNode(g, sum, []int{0}), ready)
		} else {
			g.Connect(mpi.RecvNode(g, sum, me-1), ready)
		}
		add := mpi.CalcNode(g, mpi.Sum[int](), sum, mine)
		g.Connect(ready, add)
		if me+1 < world.Size() {
			g.Connect(add, mpi.SendNode(g, sum, me+1))
		}
		g.Tie()
		if me == 0 {
			var drawing strings.Builder // for dot -Tsvg
			if err := g.Dump(&drawing); err != nil {
				return err
			}
			fmt.Printf("the graph of rank 0 has %d edges\n", strings.Count(drawing.String(), " -> "))
		}
		request, err := g.Prepare()
		if err != nil {
			return err
		}
		for range 2 {
			if err := request.Start(); err != nil {
				return err
			}
			if _, err := request.Wait(); err != nil {
				return err
			}
			fmt.Printf("rank %d: sum %d\n", me, sum[0])
			mine[0] *= 10
		}
		return request.Free()
	})
	// Unordered output:
	// the graph of rank 0 has 5 edges
	// rank 0: sum 1
	// rank 0: sum 10
	// rank 1: sum 3
	// rank 1: sum 30
	// rank 2: sum 6
	// rank 2: sum 60
	// rank 3: sum 10
	// rank 3: sum 100
}

// An operator with a name: any rank of the program can apply it, so that nonblocking
// operations go on while the rank that began them computes.
func ExampleRegisterOp() {
	ranks(4, func(world *mpi.Comm) error {
		hypot := mpi.RegisterOp("tour.hypot", func(inout, in []float64) {
			for i := range inout {
				inout[i] = math.Hypot(inout[i], in[i])
			}
		}, true)
		length := []float64{1}
		request, err := mpi.Iallreduce(world, nil, length, hypot)
		if err != nil {
			return err
		}
		if _, err := request.Wait(); err != nil || world.Rank() > 0 {
			return err
		}
		fmt.Printf("%.3f\n", length[0])
		return nil
	})
	// Output: 2.000
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
