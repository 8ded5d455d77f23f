package mpi

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// makeGrid makes a grid of all ranks, periodic in the first dimension only.
func makeGrid(c *Comm, n int) (*Cart, error) {
	dims, periods := make([]int, n), make([]bool, n)
	if err := DimsCreate(c.Size(), dims); err != nil {
		return nil, err
	}
	periods[0] = true
	return CartCreate(c, dims, periods)
}

// gridPlaces: coordinates and ranks are the same places, row by row.
func gridPlaces(c *Comm) error {
	for n := 1; n <= 3; n++ {
		g, err := makeGrid(c, n)
		if err != nil {
			return err
		}
		dims := g.Dims()
		next := make([]int, n)
		for rank := range g.Size() {
			coords, err := g.Coords(rank)
			back, backErr := g.RankAt(coords...)
			around, aroundErr := g.RankAt(append([]int{coords[0] - 3*dims[0]}, coords[1:]...)...)
			if err := first(err, backErr, aroundErr, want("coordinates", fmt.Sprint(coords), fmt.Sprint(next)),
				want("rank", back, rank), want("once around", around, rank)); err != nil {
				return err
			}
			for i := n - 1; i >= 0; i-- {
				if next[i]++; next[i] < dims[i] {
					break
				}
				next[i] = 0
			}
		}
		if err := first(gridMisuse(g), want("rank", g.Rank(), c.Rank()), g.Free()); err != nil {
			return err
		}
	}
	return nil
}

func gridMisuse(g *Cart) error {
	_, coords := g.Coords(g.Size())
	if _, ok := errors.AsType[*RankError](coords); !ok {
		return fmt.Errorf("coordinates of a rank too many: %v", coords)
	}
	n := len(g.Dims())
	_, few := g.RankAt(make([]int, n+1)...)
	_, _, dim := g.Shift(n, 1)
	_, sub := g.Sub(make([]bool, n+1))
	var outside error = ErrNoCell
	if n > 1 {
		at := make([]int, n)
		at[1] = g.Dims()[1]
		_, outside = g.RankAt(at...)
	}
	g.Dims()[0], g.Periods()[0] = 99, false // copies
	return first(wantContains(few, fmt.Sprintf("%d coordinates for %d dimensions", n+1, n)),
		wantContains(dim, fmt.Sprintf("dimension %d is outside 0..%d", n, n-1)),
		wantContains(sub, "tell whether they are kept"), wantIs("outside", outside, ErrNoCell),
		want("cells", product(g.Dims()), g.Size()), want("periodic", g.Periods()[0], true))
}

func product(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

// gridShift moves data by all distances, and compares where it comes from.
func gridShift(c *Comm) error {
	g, err := makeGrid(c, 2)
	if err != nil {
		return err
	}
	place := func(coords []int, dim, by int) int {
		coords = slices.Clone(coords)
		coords[dim] += by
		rank, err := g.RankAt(coords...)
		if err != nil {
			return ProcNull
		}
		return rank
	}
	coords, err := g.Coords(g.Rank())
	if err != nil {
		return err
	}
	for dim := range 2 {
		for by := -3; by <= 3; by++ {
			from, to, err := g.Shift(dim, by)
			if err := first(err, want("to", to, place(coords, dim, by)),
				want("from", from, place(coords, dim, -by))); err != nil {
				return err
			}
			in := []int32{-1}
			st, err := Sendrecv(g.Comm, []int32{int32(g.Rank())}, to, 0, in, from, 0)
			if err := first(err, want("source", st.Source, from)); err != nil {
				return err
			}
			if from != ProcNull {
				err = want("data", in[0], int32(from))
			}
			if err != nil {
				return err
			}
		}
		for _, far := range []int{math.MaxInt, math.MinInt} {
			if _, _, err := g.Shift(dim, far); err != nil {
				return err
			}
		}
	}
	return first(gridNeighbors(g), g.Free())
}

// gridNeighbors: the lower one first, and a copy has the same.
func gridNeighbors(g *Cart) error {
	var expected []int
	for dim := range g.Dims() {
		lower, higher, err := g.Shift(dim, 1)
		if err != nil {
			return err
		}
		expected = append(expected, lower, higher)
	}
	d, err := g.Dup()
	if err != nil {
		return err
	}
	again, ok := CartOf(d)
	sources, destinations, err := d.NeighborRanks()
	_, graph := DistGraphOf(d)
	return first(err, want("grid", ok, true), want("graph", graph, false),
		want("sources", fmt.Sprint(sources), fmt.Sprint(expected)),
		want("destinations", fmt.Sprint(destinations), fmt.Sprint(expected)),
		want("dimensions", fmt.Sprint(again.Dims()), fmt.Sprint(g.Dims())), d.Free())
}

// gridSub: rows, columns, single cells, and the whole.
func gridSub(c *Comm) error {
	g, err := makeGrid(c, 2)
	if err != nil {
		return err
	}
	coords, err := g.Coords(g.Rank())
	if err != nil {
		return err
	}
	for _, keep := range [][]bool{{false, true}, {true, false}, {false, false}, {true, true}} {
		s, err := g.Sub(keep)
		if err != nil {
			return err
		}
		var dims, place []int
		var periods []bool
		for i, k := range keep {
			if k {
				dims, periods, place = append(dims, g.Dims()[i]), append(periods, i == 0), append(place, coords[i])
			}
		}
		at, err := s.Coords(s.Rank())
		if err := first(err, want("dimensions", fmt.Sprint(s.Dims()), fmt.Sprint(dims)),
			want("periods", fmt.Sprint(s.Periods()), fmt.Sprint(periods)),
			want("place", fmt.Sprint(at), fmt.Sprint(place)), pass(s.Comm, 1), s.Free()); err != nil {
			return err
		}
	}
	return g.Free()
}

// gridTooLarge: more cells than ranks is an error, fewer leave ranks out.
func gridTooLarge(c *Comm) error {
	_, large := CartCreate(c, []int{c.Size(), 2}, []bool{true, true})
	_, huge := CartCreate(c, []int{math.MaxInt, math.MaxInt}, []bool{true, true})
	_, empty := CartCreate(c, []int{0}, []bool{true})
	_, odd := CartCreate(c, []int{1}, nil)
	if err := first(wantContains(large, "more cells than"), wantContains(huge, "more cells than"),
		wantContains(empty, "dimension 0 is 0"), wantContains(odd, "tell whether they are periodic")); err != nil {
		return err
	}
	cells := max(1, c.Size()-1)
	g, err := CartCreate(c, []int{cells}, []bool{true})
	if err != nil || c.Rank() >= cells {
		return first(err, want("left out", g.Comm, nil))
	}
	_, plain := CartOf(c)
	_, _, none := c.NeighborRanks()
	return first(want("size", g.Size(), cells), want("plain", plain, false),
		wantIs("neighbours", none, ErrNoTopology), pass(g.Comm, 1), g.Free())
}
