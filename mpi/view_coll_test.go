package mpi

import (
	"errors"
	"fmt"
)

func alltoallw(c *Comm) error {
	n, me := c.Size(), c.Rank()
	for _, rows := range []int{1, 3, 50} {
		width := rows * n
		at := func(i, j int) int64 { return int64(i*width + j) }
		mine, transposed := make([]int64, rows*width), make([]int64, rows*width)
		for i := range mine {
			mine[i] = at(me*rows+i/width, i%width)
		}
		// From each rank comes the block whose columns it holds as rows: what goes
		// column by column arrives row by row.
		var send, recv []View[int64]
		for peer := range n {
			send = append(send, Strided(mine[peer*rows:], []int{rows, rows}, []int{1, width}))
			recv = append(recv, Subarray(transposed, []int{rows, width}, []int{rows, rows}, []int{0, peer * rows}))
		}
		want := upTo(len(mine), func(i int) int64 { return at(i%width, me*rows+i/width) })
		if err := first(Alltoallw(c, send, recv), eq("transposed", transposed, want)); err != nil {
			return err
		}
		// In place, twice: all is as before.
		blocks := upTo(n, func(peer int) View[int64] {
			return Subarray(mine, []int{rows, width}, []int{rows, rows}, []int{0, peer * rows})
		})
		before := append([]int64(nil), mine...)
		err := Alltoallw(c, nil, blocks)
		if n > 1 && err == nil && mine[(me+1)%n*rows] == before[(me+1)%n*rows] {
			return errors.New("nothing has moved")
		}
		if err := first(err, Alltoallw(c, nil, blocks), eq("and back", mine, before)); err != nil {
			return err
		}
	}
	// Lengths that differ: me+peer+1 elements, to every n-th place.
	got := make([]int32, 2*n*n)
	send := upTo(n, func(peer int) View[int32] { return Whole(numbers(me+peer+1, 10*me+peer)) })
	recv := upTo(n, func(peer int) View[int32] { return Vector(got[peer:], me+peer+1, 1, n) })
	if err := Alltoallw(c, send, recv); err != nil {
		return err
	}
	for peer := range n {
		block := make([]int32, me+peer+1)
		recv[peer].gather(block)
		if err := checkNumbers(block, 10*peer+me); err != nil {
			return fmt.Errorf("from %d: %w", peer, err)
		}
	}
	return nil
}

func neighborAlltoallw(c *Comm) error {
	dims := []int{0, 0}
	if err := DimsCreate(c.Size(), dims); err != nil {
		return err
	}
	for _, periodic := range []bool{false, true} {
		grid, err := CartCreate(c, dims, []bool{periodic, periodic})
		if err != nil {
			return err
		}
		const h, w = 4, 5 // with a border of one cell
		cells := upTo(h*w, func(int) int { return grid.Rank() })
		part := func(rows, columns, i, j int) View[int] {
			return Subarray(cells, []int{h, w}, []int{rows, columns}, []int{i, j})
		}
		inside := []View[int]{part(1, w-2, 1, 1), part(1, w-2, h-2, 1), part(h-2, 1, 1, 1), part(h-2, 1, 1, w-2)}
		border := []View[int]{part(1, w-2, 0, 1), part(1, w-2, h-1, 1), part(h-2, 1, 1, 0), part(h-2, 1, 1, w-1)}
		if err := NeighborAlltoallw(grid.Comm, inside, border); err != nil {
			return err
		}
		neighbours, _, err := grid.NeighborRanks()
		if err != nil {
			return err
		}
		for i, neighbour := range neighbours {
			if neighbour == ProcNull {
				neighbour = grid.Rank() // as it was
			}
			got := make([]int, border[i].Len())
			border[i].gather(got)
			if err := eq("border", got, upTo(len(got), func(int) int { return neighbour })); err != nil {
				return err
			}
		}
		if err := first(wantContains(NeighborAlltoallw(grid.Comm, inside, border[1:]), "4 neighbours to send to"),
			grid.Free()); err != nil {
			return err
		}
	}
	return nil
}
