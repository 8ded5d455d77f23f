package mpi

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// eq returns an error unless two slices are the same.
func eq[T comparable](what string, have, want []T) error {
	if slices.Equal(have, want) {
		return nil
	}
	for i := range min(len(have), len(want)) {
		if have[i] != want[i] {
			return fmt.Errorf("%s: element %d of %d is %v, not %v", what, i, len(have), have[i], want[i])
		}
	}
	return fmt.Errorf("%s has %d elements, not %d", what, len(have), len(want))
}

// upTo returns f(0), ..., f(n-1).
func upTo[T any](n int, f func(i int) T) []T {
	s := make([]T, n)
	for i := range s {
		s[i] = f(i)
	}
	return s
}

func bcastFromEach(c *Comm) error {
	type pixel struct {
		X, Y int16
		RGB  [3]uint8
	}
	for root := range c.Size() {
		for _, n := range []int{0, 1, 1000, 100_000} {
			what := upTo(n, func(i int) pixel { return pixel{int16(i), int16(root), [3]uint8{1, 2, byte(i)}} })
			buf := make([]pixel, n)
			if c.Rank() == root {
				copy(buf, what)
			}
			if err := first(Bcast(c, buf, root), eq("bcast", buf, what)); err != nil {
				return err
			}
		}
	}
	return nil
}

func operators(c *Comm) error {
	n, me := c.Size(), c.Rank()
	small, bits := float64(me)+0.5, uint16(1<<(me%16))
	all := func(f func(a, b int) int, start int) int {
		for i := range n {
			start = f(start, i)
		}
		return start
	}
	errs := []error{
		allreduces(c, "sum", Sum[int](), me, n*(n-1)/2),
		allreduces(c, "sum of complex", Sum[complex128](), complex(1, float64(me)),
			complex(float64(n), float64(n*(n-1)/2))),
		allreduces(c, "prod", Prod[int64](), 2, int64(1)<<n),
		allreduces(c, "min", Min[float64](), small, 0.5),
		allreduces(c, "max", Max[float64](), small, float64(n)-0.5),
		allreduces(c, "max of int8", Max[int8](), -int8(me)-1, -1),
		allreduces(c, "band", BAnd[uint16](), ^bits, ^uint16(all(func(a, i int) int { return a | 1<<(i%16) }, 0))),
		allreduces(c, "bor", BOr[uint16](), bits, uint16(all(func(a, i int) int { return a | 1<<(i%16) }, 0))),
		allreduces(c, "bxor", BXor[int32](), int32(me), int32(all(func(a, i int) int { return a ^ i }, 0))),
		allreduces(c, "land", LAnd(), me != 0, false),
		allreduces(c, "lor", LOr(), me == n-1, true),
		allreduces(c, "lxor", LXor(), true, n%2 == 1),
		allreduces(c, "min loc", MinLoc[float32](), Loc[float32]{float32(me / 2), me}, Loc[float32]{0, 0}),
		allreduces(c, "max loc", MaxLoc[int](), Loc[int]{me / 2, me}, Loc[int]{(n - 1) / 2, (n - 1) / 2 * 2}),
	}
	nan := []float64{0}
	if me == n-1 {
		nan[0] = math.NaN()
	}
	errs = append(errs, Allreduce(c, nil, nan, Max[float64]()), want("max is a NaN", math.IsNaN(nan[0]), true))
	return first(errs...)
}

// allreduces checks a reduction of many elements that are all alike.
func allreduces[T comparable](c *Comm, what string, op *Op[T], have, result T) error {
	for _, n := range []int{0, 1, 20_000} {
		send, recv := upTo(n, func(int) T { return have }), make([]T, n)
		if err := first(Allreduce(c, send, recv, op),
			eq(what, recv, upTo(n, func(int) T { return result }))); err != nil {
			return err
		}
	}
	return nil
}

// affine is x -> A*x+B, modulo 2^32: joining two is associative and not commutative.
type affine struct{ A, B uint32 }

func joined(f, g affine) affine { return affine{f.A * g.A, g.A*f.B + g.B} }

var join2 = NewOp(func(inout, in []affine) {
	for i := range inout {
		inout[i] = joined(inout[i], in[i])
	}
}, false)

// rankOrder checks all reductions of an operator that is not commutative.
func rankOrder(c *Comm) error {
	of := func(rank, i int) affine { return affine{uint32(2*rank + 3), uint32(rank + i)} }
	result := func(ranks, i int) affine {
		r := of(0, i)
		for rank := 1; rank < ranks; rank++ {
			r = joined(r, of(rank, i))
		}
		return r
	}
	n, me := c.Size(), c.Rank()
	for _, length := range []int{1, 9999} {
		send := upTo(length, func(i int) affine { return of(me, i) })
		total := upTo(length, func(i int) affine { return result(n, i) })
		recv := make([]affine, length)
		for root := range n {
			if err := Reduce(c, send, recv, join2, root); err != nil {
				return err
			}
			if me == root {
				if err := eq("reduce", recv, total); err != nil {
					return err
				}
			}
		}
		inPlace := slices.Clone(send)
		scanned, before := make([]affine, length), make([]affine, length)
		err := first(
			Allreduce(c, nil, inPlace, join2), eq("allreduce", inPlace, total),
			Scan(c, send, scanned, join2),
			eq("scan", scanned, upTo(length, func(i int) affine { return result(me+1, i) })),
			Exscan(c, send, before, join2))
		if err == nil && me > 0 {
			err = eq("exscan", before, upTo(length, func(i int) affine { return result(me, i) }))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func reduceScatters(c *Comm) error {
	n, me := c.Size(), c.Rank()
	sum := Sum[int32]()
	counts := upTo(n, func(i int) int { return i * 3 })
	total := 3 * n * (n - 1) / 2
	send := upTo(total, func(i int) int32 { return int32(i + me) })
	result := func(start, length int) []int32 {
		return upTo(length, func(i int) int32 { return int32(n*(start+i) + n*(n-1)/2) })
	}
	recv := make([]int32, counts[me])
	inPlace := slices.Clone(send)
	start := 3 * me * (me - 1) / 2
	if err := first(
		ReduceScatter(c, send, recv, counts, sum), eq("reduce_scatter", recv, result(start, len(recv))),
		ReduceScatter(c, nil, inPlace, counts, sum), eq("in place", inPlace[:len(recv)], result(start, len(recv))),
	); err != nil {
		return err
	}
	send = upTo(n*1000, func(i int) int32 { return int32(i + me) })
	recv, inPlace = make([]int32, 1000), slices.Clone(send)
	return first(
		ReduceScatterBlock(c, send, recv, sum), eq("block", recv, result(me*1000, 1000)),
		ReduceScatterBlock(c, nil, inPlace, sum), eq("block in place", inPlace[:1000], result(me*1000, 1000)))
}

// gatherAndScatter does both, regular and not, in place and not, at every root.
func gatherAndScatter(c *Comm) error {
	n, me := c.Size(), c.Rank()
	all := numbers(4*n, 7)
	mine := all[4*me:][:4]
	for root := range n {
		var recv, send []int32
		if me == root {
			recv, send = make([]int32, 4*n), all
		}
		got := make([]int32, 4)
		err := first(Gather(c, mine, recv, root), Scatter(c, send, got, root), eq("scatter", got, mine))
		if err == nil && me == root {
			err = eq("gather", recv, all)
		}
		if err != nil {
			return err
		}
		// In place at the root.
		if me == root {
			clear(recv)
			copy(recv[4*me:], mine)
			err = first(Gather(c, nil, recv, root), eq("in place", recv, all), Scatter[int32](c, all, nil, root))
		} else {
			err = first(Gather(c, mine, nil, root), Scatter(c, nil, got, root), eq("from in place", got, mine))
		}
		if err != nil {
			return err
		}
		if err := raggedAt(c, root); err != nil {
			return err
		}
	}
	return nil
}

// raggedAt gathers and scatters i elements of rank i, with gaps.
func raggedAt(c *Comm, root int) error {
	n, me := c.Size(), c.Rank()
	mine := numbers(me, me)
	counts := upTo(n, func(i int) int { return i })
	displs := upTo(n, func(i int) int { return (n - 1 - i) * (n + 1) })
	laid := make([]int32, n*(n+1))
	for i := range n {
		copy(laid[displs[i]:], numbers(i, i))
	}
	recv, got := make([]int32, len(laid)), make([]int32, me)
	if err := first(Gatherv(c, mine, recv, counts, displs, root), Scatterv(c, laid, counts, displs, got, root),
		eq("scatterv", got, mine)); err != nil {
		return err
	}
	if me == root {
		return eq("gatherv", recv, laid)
	}
	return eq("elsewhere", recv, make([]int32, len(laid)))
}

func allgathers(c *Comm) error {
	n, me := c.Size(), c.Rank()
	for _, length := range []int{0, 1, 3000} {
		all := numbers(length*n, 3)
		recv := make([]int32, len(all))
		inPlace := make([]int32, len(all))
		copy(inPlace[me*length:], all[me*length:][:length])
		if err := first(
			Allgather(c, all[me*length:][:length], recv), eq("allgather", recv, all),
			Allgather(c, nil, inPlace), eq("in place", inPlace, all)); err != nil {
			return err
		}
	}
	counts := upTo(n, func(i int) int { return (i * 5) % 7 })
	var all []int32
	for i, k := range counts {
		all = append(all, numbers(k, i)...)
	}
	recv := make([]int32, len(all))
	return first(Allgatherv(c, numbers(counts[me], me), recv, counts, nil), eq("allgatherv", recv, all))
}

func alltoalls(c *Comm) error {
	n, me := c.Size(), c.Rank()
	for _, length := range []int{0, 1, 70, 5000} {
		block := func(from, to int) []int32 { return numbers(length, 100*from+to) }
		var send, result []int32
		for i := range n {
			send, result = append(send, block(me, i)...), append(result, block(i, me)...)
		}
		recv := make([]int32, len(send))
		if err := first(Alltoall(c, send, recv), eq("alltoall", recv, result),
			Alltoall(c, nil, send), eq("in place", send, result)); err != nil {
			return err
		}
	}
	// i+2j elements from i to j.
	var send, result []int32
	var sends, receives []int
	for i := range n {
		sends, receives = append(sends, me+2*i), append(receives, i+2*me)
		send = append(send, numbers(me+2*i, 100*me+i)...)
		result = append(result, numbers(i+2*me, 100*i+me)...)
	}
	recv := make([]int32, len(result))
	return first(Alltoallv(c, send, sends, nil, recv, receives, nil), eq("alltoallv", recv, result))
}

// neighbors exchanges on a grid, whose ranks may be neighbours of themselves, or of
// another in two directions.
func neighbors(c *Comm) error {
	for _, periodic := range []bool{true, false} {
		grid, err := CartCreate(c, []int{c.Size()}, []bool{periodic})
		if err != nil {
			return err
		}
		left, right, err := grid.Shift(0, 1)
		if err != nil {
			return err
		}
		send := []int{grid.Rank()*10 + 1, grid.Rank()*10 + 2} // to the left, to the right
		recv, all := []int{-1, -1}, []int{-1, -1}
		wantEach, wantAll := []int{-1, -1}, []int{-1, -1}
		if left != ProcNull {
			wantEach[0], wantAll[0] = left*10+2, left
		}
		if right != ProcNull {
			wantEach[1], wantAll[1] = right*10+1, right
		}
		if err := first(
			NeighborAlltoall(grid.Comm, send, recv), eq("neighbor_alltoall", recv, wantEach),
			NeighborAlltoallv(grid.Comm, send, []int{1, 1}, nil, recv, []int{1, 1}, nil),
			eq("neighbor_alltoallv", recv, wantEach),
			NeighborAllgather(grid.Comm, []int{grid.Rank()}, all), eq("neighbor_allgather", all, wantAll),
			NeighborAllgatherv(grid.Comm, []int{grid.Rank()}, all, []int{1, 1}, nil),
			eq("neighbor_allgatherv", all, wantAll),
		); err != nil {
			return err
		}
	}
	return wantContains(NeighborAllgather(c, []int{1}, []int{1}), "has no neighbours")
}

// mistakeOfOne: what one rank does wrong the others hear of, and do not wait.
// splitAndReversed does it all on other communicators, two at a time.
func splitAndReversed(c *Comm) error {
	reversed, err := c.Split(0, -c.Rank())
	if err != nil {
		return err
	}
	half, err := c.Split(c.Rank()%2, c.Rank())
	if err != nil {
		return err
	}
	errs := make(chan error, 2)
	for _, comm := range []*Comm{reversed, half} {
		go func() {
			errs <- first(operators(comm), rankOrder(comm), alltoalls(comm), gatherAndScatter(comm), allgathers(comm))
		}()
	}
	return errors.Join(<-errs, <-errs)
}
