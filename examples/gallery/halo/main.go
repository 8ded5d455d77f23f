// Halo plays Conway's Life on a torus. Each rank has some rows of the board, and around them the halo: copies of the
// rows next to them, which the neighbours send before each step. In the file 1 is a living cell, 0 a dead one.
//
//	pvasrun -n 4 ./examples/gallery/halo -steps 100 BOARD
package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/gopvas/gopvas/examples/gallery/internal/args"
	"github.com/gopvas/gopvas/mpi"
)

func main() {
	steps := args.Number("steps", 100, 1e9, "`number` of steps")
	file := args.Parse("BOARD")[0]
	mpi.Run(func(world *mpi.Comm) error {
		text, err := os.ReadFile(file)
		board, n, me := bytes.Fields(text), world.Size(), world.Rank()
		if len(board) < n || slices.ContainsFunc(board, func(row []byte) bool { return len(row) != len(board[0]) }) {
			return cmp.Or(err, errors.New("a board has rows of one length, at least one for each rank"))
		}
		top, bottom := world.Block(len(board), me)
		cells := slices.Concat(board[0], bytes.Join(board[top:bottom], nil), board[0])
		w, end := len(board[0]), len(cells)-len(board[0])
		up, down := (me+n-1)%n, (me+1)%n
		for range *steps {
			if err := errors.Join(mpi.ErrOf(mpi.Sendrecv(world, cells[w:2*w], up, 0, cells[end:], down, 0)),
				mpi.ErrOf(mpi.Sendrecv(world, cells[end-w:end], down, 0, cells[:w], up, 0))); err != nil {
				return err
			}
			cells = step(cells, w)
		}
		all, err := mpi.GatherFlat(world, cells[w:end], 0)
		for row := range slices.Chunk(all, w) {
			fmt.Printf("%s\n", row)
		}
		return err
	})
}

func step(cells []byte, w int) []byte {
	next := bytes.Clone(cells)
	for i := w; i < len(cells)-w; i++ {
		living := 0 // of the cell and the eight around it
		for j := range 9 {
			living += int(cells[(i/w-1+j/3)*w+(i+w-1+j%3)%w] & 1)
		}
		if living != 4 {
			next[i] = "0001000000"[living]
		}
	}
	return next
}
