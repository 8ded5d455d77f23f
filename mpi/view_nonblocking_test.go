package mpi

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gopvas/gopvas/internal/msg/comm"
)

// nonblockingViews are the operations on views, with columns against pieces of rows, and
// views of one piece. The slices of views are spoilt as soon as a call has returned.
func nonblockingViews(c *Comm, n int) []underway {
	size, me := c.Size(), c.Rank()
	columns, rows := make([]int32, n*size), make([]int32, 2*n*size)
	column := func(peer int) View[int32] { return Strided(columns[peer:], []int{n}, []int{size}) }
	spread := func(peer int) View[int32] { // in halves that are apart
		return Indexed(rows, []int{n / 2, n - n/2}, []int{2*n*peer + n, 2 * n * peer})
	}
	call := func(f func(c *Comm, send, recv []View[int32]) (Request, error), send,
		recv func(peer int) View[int32]) func() (Request, error) {
		return func() (Request, error) {
			var from []View[int32]
			if send != nil {
				from = upTo(size, send)
			}
			to := upTo(size, recv)
			defer clear(from)
			defer clear(to)
			return f(c, from, to)
		}
	}
	if n == 0 { // a column cannot begin behind the end
		column = func(int) View[int32] { return View[int32]{} }
	}
	fill := func(view func(peer int) View[int32]) func(round int) {
		return func(round int) {
			clear(rows)
			clear(columns)
			for peer := range size {
				view(peer).put(data(round, me, peer, n))
			}
		}
	}
	check := func(view func(peer int) View[int32]) func(round int) error {
		return func(round int) error {
			for peer := range size {
				if err := eq("view", view(peer).elements(), data(round, peer, me, n)); err != nil {
					return fmt.Errorf("from %d: %w", peer, err)
				}
			}
			return nil
		}
	}
	return append(neighborViews(c, n),
		underway{"alltoallw", call(Ialltoallw, column, spread), call(AlltoallwInit, column, spread),
			fill(column), check(spread)},
		underway{"alltoallw in place", call(Ialltoallw, nil, column), call(AlltoallwInit, nil, column),
			fill(column), check(column)})
}

// put and elements are scatter and gather of all elements.

func (v View[T]) put(all []T) { v.scatter(all) }

func (v View[T]) elements() []T {
	all := make([]T, v.count)
	v.gather(all)
	return all
}

// neighborViews is the exchange of the borders of a strip, on a ring: one side is a column,
// the other one piece.
func neighborViews(c *Comm, n int) []underway {
	sources, _, err := c.NeighborRanks()
	if err != nil {
		return nil
	}
	const width = 4
	cells := make([]int32, width*n+2*n)
	column := func(j int) View[int32] {
		if n == 0 {
			return View[int32]{}
		}
		return Vector(cells[j:], n, 1, width)
	}
	pieces := []View[int32]{Whole(cells[width*n:][:n]), Whole(cells[width*n+n:])}
	sends, receives := []View[int32]{column(1), pieces[0]}, []View[int32]{column(0), pieces[1]}
	call := func(f func(c *Comm, send, recv []View[int32]) (Request, error)) func() (Request, error) {
		return func() (Request, error) {
			send, recv := slices.Clone(sends), slices.Clone(receives)
			defer clear(send)
			defer clear(recv)
			return f(c, send, recv)
		}
	}
	me := c.Rank()
	return []underway{{"neighbor_alltoallw", call(IneighborAlltoallw[int32]), call(NeighborAlltoallwInit[int32]),
		func(round int) {
			clear(cells)
			sends[0].put(data(round, me, 1, n))
			sends[1].put(data(round, me, 2, n))
		},
		func(round int) error { // from the left what it sent to its right
			return first(eq("left", receives[0].elements(), data(round, sources[0], 2, n)),
				eq("right", receives[1].elements(), data(round, sources[1], 1, n)))
		}}}
}

// backgroundViews: neighbours that a border leaves out, those that are there several
// times, and communicators of one rank.
func backgroundViews(c *Comm) error {
	alone, err := c.Split(c.Rank(), 0)
	if err != nil {
		return err
	}
	for _, one := range []*Comm{c, alone} {
		for _, periodic := range []bool{false, true} {
			if err := borders(one, periodic); err != nil {
				return fmt.Errorf("border of %d ranks, periodic %v: %w", one.Size(), periodic, err)
			}
		}
		if err := manyEdges(one); err != nil {
			return fmt.Errorf("many edges among %d ranks: %w", one.Size(), err)
		}
	}
	return alone.Free()
}

// borders exchanges the borders of a strip, which has none beyond its ends unless it is
// closed. The request is prepared once, or begun anew.
func borders(c *Comm, periodic bool) error {
	grid, err := CartCreate(c, []int{c.Size()}, []bool{periodic})
	if err != nil {
		return err
	}
	const h, w = 3, 5
	cells := make([]int, h*w)
	column := func(j int) View[int] { return Vector(cells[j:], h, 1, w) }
	inside, beyond := []View[int]{column(1), column(w - 2)}, []View[int]{column(0), column(w - 1)}
	prepared, err := NeighborAlltoallwInit(grid.Comm, inside, beyond)
	if err != nil {
		return err
	}
	for round := range 4 {
		for i := range cells {
			cells[i] = 1000*round + c.Rank()
		}
		r := prepared
		if round%2 == 0 {
			r, err = IneighborAlltoallw(grid.Comm, inside, beyond)
		} else {
			err = r.Start()
		}
		if err := result(r, err); err != nil {
			return err
		}
		neighbours, _, err := grid.NeighborRanks()
		if err != nil {
			return err
		}
		for i, neighbour := range neighbours {
			if neighbour == ProcNull {
				neighbour = c.Rank() // as it was
			}
			value := func(int) int { return 1000*round + neighbour }
			if err := eq("border", beyond[i].elements(), upTo(h, value)); err != nil {
				return err
			}
		}
	}
	return errors.Join(prepared.Free(), grid.Free())
}

// manyEdges has three edges from each rank to the next one: what goes along each arrives
// there in their order.
func manyEdges(c *Comm) error {
	n, me := c.Size(), c.Rank()
	next, before := (me+1)%n, (me+n-1)%n
	g, err := DistGraphCreateAdjacent(c,
		Neighbors{Sources: []int{before, before, before}, Destinations: []int{next, next, next}})
	if err != nil {
		return err
	}
	send, recv := make([]int, 12), make([]int, 12)
	for i := range send {
		send[i] = 100*me + i
	}
	every := func(buf []int) []View[int] {
		return upTo(3, func(i int) View[int] { return Vector(buf[i:], 4, 1, 3) })
	}
	err = result(IneighborAlltoallw(g.Comm, every(send), every(recv)))
	return first(err, eq("received", recv, upTo(12, func(i int) int { return 100*before + i })), g.Free())
}

// viewMistakes: those of one rank are told to those that need it.
func viewMistakes(c *Comm) error {
	one, n := c.Size()-1, c.Size()
	grid, err := CartCreate(c, []int{n}, []bool{true})
	if err != nil {
		return err
	}
	before := upTo(3*n+1, func(i int) int { return i })
	cells := slices.Clone(before)
	view := func(i int) View[int] { return Vector(cells[i:], 2, 1, n) }
	halo := make([]int, 2*2) // what is received does not overlap what is sent
	kept := func() error {   // if calls are checked nothing moves
		if !comm.Checked(c.inner()) {
			return nil
		}
		return eq("what there was", cells, before)
	}
	beside := (c.Rank()+1)%n == one || (c.Rank()+n-1)%n == one
	for _, bad := range []View[int]{Vector(cells, 2, 1, 0), Vector(cells, 2, 1, 4*n), Indexed(cells, []int{1}, nil)} {
		all := upTo(n, view)
		two := upTo(2, func(i int) View[int] { return Vector(halo[i:], 2, 1, 2) })
		if c.Rank() == one {
			all[0], two[1] = bad, bad
		}
		if err := first(
			heardOf[*ViewError](result(Ialltoallw(grid.Comm, nil, all)), c.Rank() == one, one, true),
			kept(),
			heardOf[*ViewError](result(IneighborAlltoallw(grid.Comm, upTo(2, view), two)), c.Rank() == one,
				one, beside)); err != nil {
			return err
		}
		copy(cells, before)
	}
	if c.Rank() != one {
		err = result(Ialltoallw(grid.Comm, nil, upTo(n, view)))
		err = first(heardOf[*ViewError](err, false, one, true), kept())
		copy(cells, before)
	} else {
		_, tooFew := Ialltoallw(grid.Comm, nil, upTo(n-1, view))
		err = wantContains(tooFew, "pass as many")
	}
	if err := first(err, result(grid.Ibarrier())); err != nil { // where the one goes on: the others are told
		return err
	}
	return first(result(Ialltoallw(grid.Comm, nil, upTo(n, view))), grid.Free())
}
