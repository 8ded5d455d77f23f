package mpi

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// manyCallsInARow: nobody waits for those who are slow, roots change, and what is fast
// does not overtake.
func manyCallsInARow(c *Comm) error {
	calls := 400
	if testkit.Race || c.Size() > 8 {
		calls = 60
	}
	n, me := c.Size(), c.Rank()
	all := make([]int, n)
	for i := range calls {
		root := i % n
		buf := []int{-1}
		if me == root {
			buf[0] = i
		}
		if err := first(Bcast(c, buf, root), want("bcast", buf[0], i)); err != nil {
			return err
		}
		sum := []int{i * me}
		if err := Reduce(c, []int{i * me}, sum, Sum[int](), root); err != nil {
			return err
		}
		if me == root {
			if err := want("sum", sum[0], i*n*(n-1)/2); err != nil {
				return err
			}
		}
		if err := Gather(c, []int{me + i}, all, root); err != nil {
			return err
		}
		if me == root {
			if err := eq("gathered", all, upTo(n, func(rank int) int { return rank + i })); err != nil {
				return err
			}
		}
		one := []int{1}
		if err := first(Allreduce(c, nil, one, Sum[int]()), want("ranks", one[0], n)); err != nil {
			return err
		}
	}
	return nil
}

// operatorsOnAllTypes: each operator on each type of element that it takes.
func operatorsOnAllTypes(c *Comm) error {
	return first(
		onIntegers[int](c), onIntegers[int8](c), onIntegers[int16](c), onIntegers[int32](c), onIntegers[int64](c),
		onIntegers[uint](c), onIntegers[uint8](c), onIntegers[uint16](c), onIntegers[uint32](c), onIntegers[uint64](c),
		onIntegers[uintptr](c), onReals[float32](c), onReals[float64](c), onNumbers[complex64](c),
		onNumbers[complex128](c))
}

// agrees compares an operator on 33 elements, among ranks and alone, with what a function of
// two says.
func agrees[T comparable](c *Comm, name string, op *Op[T], join func(a, b T) T, of func(rank, i int) T) error {
	send := upTo(33, func(i int) T { return of(c.Rank(), i) })
	recv := make([]T, len(send))
	result := upTo(len(send), func(i int) T {
		sum := of(0, i)
		for rank := 1; rank < c.Size(); rank++ {
			sum = join(sum, of(rank, i))
		}
		return sum
	})
	alone := upTo(len(send), func(i int) T { return of(0, i) })
	for rank := 1; rank < c.Size(); rank++ {
		if err := ReduceLocal(alone, upTo(len(alone), func(i int) T { return of(rank, i) }), op); err != nil {
			return err
		}
	}
	what := fmt.Sprintf("%s of %T", name, *new(T))
	return first(Allreduce(c, send, recv, op), eq(what, recv, result), eq(what+" alone", alone, result))
}

func small[T Number](rank, i int) T {
	var x T
	for range (rank*7 + i*5) % 11 {
		x++
	}
	return x
}

func onNumbers[T Number](c *Comm) error {
	return first(
		agrees(c, "sum", Sum[T](), func(a, b T) T { return a + b }, small[T]),
		// 1 or 2: exact
		agrees(c, "product", Prod[T](), func(a, b T) T { return a * b },
			func(rank, i int) T { return small[T](0, 9*(1+(rank+i)%2)) }))
}

func onReals[T Real](c *Comm) error {
	loc := func(rank, i int) Loc[T] { return Loc[T]{small[T](rank, i), rank} }
	smaller := func(a, b Loc[T]) bool { return a.Value < b.Value || a.Value == b.Value && a.Index < b.Index }
	return first(onNumbers[T](c),
		agrees(c, "min", Min[T](), func(a, b T) T { return min(a, b) }, small[T]),
		agrees(c, "max", Max[T](), func(a, b T) T { return max(a, b) }, small[T]),
		agrees(c, "min loc", MinLoc[T](), func(a, b Loc[T]) Loc[T] {
			if smaller(b, a) {
				return b
			}
			return a
		}, loc),
		agrees(c, "max loc", MaxLoc[T](), func(a, b Loc[T]) Loc[T] {
			if b.Value > a.Value {
				return b
			}
			return a
		}, loc))
}

func onIntegers[T Integer](c *Comm) error {
	return first(onReals[T](c),
		agrees(c, "band", BAnd[T](), func(a, b T) T { return a & b },
			func(rank, i int) T { return ^small[T](rank, i) }),
		agrees(c, "bor", BOr[T](), func(a, b T) T { return a | b }, small[T]),
		agrees(c, "bxor", BXor[T](), func(a, b T) T { return a ^ b }, small[T]))
}

// nothingToMove: all calls, with buffers that are empty or nil. Where all know that nobody has an
// element, nobody waits.
func nothingToMove(c *Comm) error {
	zeros := make([]int, c.Size())
	if c.Rank() > 0 { // they call when rank 0 has done so
		if _, err := Recv(c, []int{0}, 0, 0); err != nil {
			return err
		}
	}
	if err := first(Allreduce(c, nil, []int{}, Sum[int]()), ReduceScatter(c, nil, []int{}, zeros, Sum[int]()),
		Alltoall(c, []int{}, []int{}), Bcast(c, []int{}, c.Size()-1)); err != nil {
		return err
	}
	for other := 1; c.Rank() == 0 && other < c.Size(); other++ {
		if err := Send(c, []int{0}, other, 0); err != nil {
			return err
		}
	}
	for _, buf := range [][]int16{nil, {}} {
		for root := range c.Size() {
			if err := first(Bcast(c, buf, root), Gather(c, buf, buf, root), Scatter(c, buf, buf, root),
				Gatherv(c, buf, buf, zeros, zeros, root), Scatterv(c, buf, zeros, nil, buf, root),
				Reduce(c, buf, buf, Sum[int16](), root)); err != nil {
				return err
			}
		}
		views := make([]View[int16], c.Size())
		if err := first(Allgather(c, buf, buf), Allgatherv(c, buf, buf, zeros, nil),
			Alltoall(c, buf, buf), Alltoallv(c, buf, zeros, zeros, buf, zeros, zeros), Alltoallw(c, views, views),
			Allreduce(c, buf, buf, Sum[int16]()), Scan(c, buf, buf, Max[int16]()), Exscan(c, buf, buf, Max[int16]()),
			ReduceScatter(c, buf, buf, zeros, Sum[int16]()),
			ReduceScatterBlock(c, buf, buf, Sum[int16]())); err != nil {
			return err
		}
	}
	return nil
}

// overlappingBuffers: what would be overwritten while it is read is an error, and what
// only lies close is not.
func overlappingBuffers(c *Comm) error {
	defer comm.SetCheck(c.inner(), comm.SetCheck(c.inner(), true)) // some calls are wrong at the root alone
	n := c.Size()
	buf := make([]int, 4*n)
	sum := Sum[int]()
	for what, err := range map[string]error{
		"allreduce":            Allreduce(c, buf, buf, sum),
		"scan":                 Scan(c, buf[1:][:2*n], buf[:2*n], sum),
		"reduce_scatter_block": ReduceScatterBlock(c, buf[:2*n], buf[n:][:2], sum),
		"allgather":            Allgather(c, buf[c.Rank():][:1], buf[:n]),
		"alltoall":             Alltoall(c, buf[:n], buf[:n]),
	} {
		if err := wantIs(what, err, ErrOverlap); err != nil {
			return err
		}
	}
	if err := overlappingBlocks(c, buf); err != nil {
		return err
	}
	left, right := ring(c)
	_, both := Sendrecv(c, buf[:2], right, 0, buf[1:3], left, 0)
	_, views := Vector(buf, 2, 1, 2).Sendrecv(c, right, 0, Vector(buf, 2, 1, 1), left, 0)
	_, beside := Sendrecv(c, buf[:2], right, 0, buf[2:4], left, 0)
	_, woven := Vector(buf, 2, 1, 2).Sendrecv(c, right, 0, Vector(buf[1:], 2, 1, 2), left, 0)
	if err := first(wantIs("sendrecv", both, ErrOverlap), wantIs("views", views, ErrOverlap),
		beside, woven); err != nil {
		return err
	}
	err := Gather(c, buf[:1], buf, 0)
	if c.Rank() == 0 && !errors.Is(err, ErrOverlap) {
		return fmt.Errorf("gather: %w", err)
	}
	return first(Alltoall(c, buf[n:][:n], buf[:n]), Allreduce(c, buf[:n], buf[n:][:n], sum),
		Allgather(c, buf[:1], buf[1:][:n]), Allreduce(c, buf[n:][:n], buf[:2*n][:n], sum))
}

// overlappingBlocks: of blocks that differ in length, or have layouts. Blocks may interleave.
func overlappingBlocks(c *Comm, buf []int) error {
	n := c.Size()
	ones, even, odd := make([]int, n), make([]int, n), make([]int, n)
	var views, other []View[int]
	for i := range n {
		ones[i], even[i], odd[i] = 1, 2*i, 2*i+1
		views, other = append(views, Vector(buf[4*i:], 2, 1, 2)), append(other, Vector(buf[4*i+1:], 2, 1, 2))
	}
	_, begun := Ialltoallv(c, buf, ones, even, buf, ones, even)
	_, prepared := AlltoallvInit(c, buf, ones, even, buf, ones, even)
	for what, err := range map[string]error{
		"alltoallv": Alltoallv(c, buf, ones, even, buf, ones, even), "ialltoallv": begun, "alltoallv init": prepared,
		"allgatherv": Allgatherv(c, buf[even[c.Rank()]:][:1], buf, ones, even),
		"alltoallw":  Alltoallw(c, views, views),
	} {
		if err := wantIs(what, err, ErrOverlap); err != nil {
			return err
		}
	}
	return first(Alltoallv(c, buf, ones, even, buf, ones, odd), Alltoallw(c, views, other),
		Allgatherv(c, buf[odd[c.Rank()]:][:1], buf, ones, even))
}

// lengthsThatDiffer: one rank has another length than all others, and calls are checked: all
// are told, nobody waits, and all go on.
func lengthsThatDiffer(c *Comm) error {
	defer comm.SetCheck(c.inner(), comm.SetCheck(c.inner(), true))
	if c.Size() == 1 {
		return nil
	}
	n, odd := c.Size(), 1
	length := 4
	if c.Rank() == odd {
		length = 5
	}
	buf := func(blocks int) []int32 { return make([]int32, blocks*length) }
	sum := Sum[int32]()
	for _, k := range []struct {
		what string
		call func() error
	}{
		{"bcast", func() error { return Bcast(c, buf(1), 0) }},
		{"reduce", func() error { return Reduce(c, buf(1), buf(1), sum, 0) }},
		{"allreduce", func() error { return Allreduce(c, buf(1), buf(1), sum) }},
		{"gather", func() error { return Gather(c, buf(1), buf(n), 0) }},
		{"scatter", func() error { return Scatter(c, buf(n), buf(1), 0) }},
		{"allgather", func() error { return Allgather(c, buf(1), buf(n)) }},
		{"alltoall", func() error { return Alltoall(c, buf(n), buf(n)) }},
	} {
		if err := differs(c, k.call()); err != nil {
			return fmt.Errorf("%s: %w", k.what, err)
		}
	}
	return nil
}

// differs checks the errors of a call in which some rank must have seen a mismatch.
func differs(c *Comm, err error) error {
	seen := []bool{false}
	if err != nil {
		var mismatch *MismatchError
		if !errors.As(err, &mismatch) {
			return err
		}
		seen[0] = true
	}
	return first(Allreduce(c, nil, seen, LOr()), want("somebody has seen it", seen[0], true))
}

// neighborsOnAPlane: two dimensions of few ranks, so that neighbours coincide.
func neighborsOnAPlane(c *Comm) error {
	dims := []int{0, 0}
	if err := DimsCreate(c.Size(), dims); err != nil {
		return err
	}
	for round := range 4 {
		grid, err := CartCreate(c, dims, []bool{round%2 == 0, round/2 == 0})
		if err != nil {
			return err
		}
		dup, err := grid.Dup() // which has the grid too
		if err != nil {
			return err
		}
		send := upTo(4, func(i int) int { return grid.Rank()*4 + i })
		result, all := []int{-1, -1, -1, -1}, []int{-1, -1, -1, -1}
		neighbours, _, err := grid.NeighborRanks()
		if err != nil {
			return err
		}
		for i, from := range neighbours {
			if from != ProcNull {
				result[i], all[i] = from*4+(i^1), from
			}
		}
		recv, gathered := []int{-1, -1, -1, -1}, []int{-1, -1, -1, -1}
		if err := first(NeighborAlltoall(grid.Comm, send, recv), eq("neighbor_alltoall", recv, result),
			NeighborAllgather(dup, []int{grid.Rank()}, gathered), eq("neighbor_allgather", gathered, all),
			grid.Free(), dup.Free()); err != nil {
			return err
		}
	}
	return nil
}

// neighborsInAGraph: edges at random, some of them several times, and some to oneself.
func neighborsInAGraph(c *Comm) error {
	d := rand.New(rand.NewPCG(11, uint64(c.Size()))) // the same for all
	for range 5 {
		own := Neighbors{}
		var expected []int // what arrives: the sender, and which of the edges between the two it is
		var counts []int
		times := map[[2]int]int{}
		for range d.IntN(4 * c.Size()) {
			from, to := d.IntN(c.Size()), d.IntN(c.Size())
			k := times[[2]int{from, to}]
			times[[2]int{from, to}]++
			if from == c.Rank() {
				own.Destinations = append(own.Destinations, to)
			}
			if to == c.Rank() {
				own.Sources = append(own.Sources, from)
				counts = append(counts, from%3+1)
				expected = append(expected, upTo(from%3+1, func(int) int { return from*1000 + k })...)
			}
		}
		g, err := DistGraphCreateAdjacent(c, own)
		if err != nil {
			return err
		}
		var send, sends []int
		seen := map[int]int{}
		for _, to := range own.Destinations {
			sends = append(sends, c.Rank()%3+1)
			send = append(send, upTo(c.Rank()%3+1, func(int) int { return c.Rank()*1000 + seen[to] })...)
			seen[to]++
		}
		recv, gathered := make([]int, len(expected)), make([]int, len(own.Sources))
		if err := first(NeighborAlltoallv(g.Comm, send, append([]int{}, sends...), nil, recv,
			append([]int{}, counts...), nil),
			eq("neighbor_alltoallv", recv, expected),
			NeighborAllgather(g.Comm, []int{c.Rank()}, gathered), eq("neighbor_allgather", gathered, own.Sources),
			g.Free()); err != nil {
			return err
		}
	}
	return nil
}

// gridsWithoutDimensions: a grid of no dimension has one cell, also as what Sub leaves of
// another.
func gridsWithoutDimensions(c *Comm) error {
	point, err := CartCreate(c, nil, nil)
	if err != nil {
		return err
	}
	if (point.Comm != nil) != (c.Rank() == 0) {
		return errors.New("not one cell")
	}
	if point.Comm != nil {
		coords, err := point.Coords(0)
		if err := first(err, want("dimensions", len(point.Dims()), 0), want("coordinates", len(coords), 0),
			NeighborAllgather(point.Comm, []int{1}, nil), point.Free()); err != nil {
			return err
		}
	}
	grid, err := makeGrid(c, 2)
	if err != nil {
		return err
	}
	alone, err := grid.Sub([]bool{false, false})
	if err != nil {
		return err
	}
	return first(want("size", alone.Size(), 1), want("dimensions", len(alone.Dims()), 0), alone.Barrier(),
		alone.Free(), grid.Free())
}

// reduceLocal: the operator alone.
func reduceLocal(c *Comm) error {
	lower, higher := []affine{{2, 1}, {3, 5}}, []affine{{7, 2}, {1, 9}}
	wanted := []affine{joined(lower[0], higher[0]), joined(lower[1], higher[1])}
	return first(ReduceLocal(lower, higher, join2), eq("joined", lower, wanted),
		want("commutative", join2.Commutative(), false), want("commutative", Sum[int]().Commutative(), true),
		want("commutative", (*Op[int])(nil).Commutative(), false),
		wantContains(ReduceLocal([]int{1}, []int{1, 2}, Sum[int]()), "buffers of 1 and 2 elements"),
		wantContains(ReduceLocal([]int{1}, []int{1}, nil), "operator is nil"),
		wantContains(ReduceLocal([]*int{nil}, []*int{nil}, NewOp(func(_, _ []*int) {}, true)), "holds a pointer"))
}
