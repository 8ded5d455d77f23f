// Heat shows how a plate becomes warm. The plate is a grid of cells, divided among ranks
// that form a grid themselves. In every step each cell takes on a part of the difference
// to its four neighbours, for which ranks exchange the borders of their parts: rows that
// lie in one piece and columns that do not, both as views. At the end rank 0 gathers the
// parts, compares them with what it computes alone, bit for bit, and draws them.
//
//	pvasrun -n 4 ./examples/heat -cells 300 -steps 2000 -o heat.png
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/gopvas/gopvas/mpi"
)

func main() {
	cells := flag.Int("cells", 200, "`cells` along each side of the plate, at least 1")
	steps := flag.Int("steps", 1000, "`steps` of time")
	file := flag.String("o", "heat.png", "`file` for the picture; empty: none")
	flag.Parse()
	mpi.Run(func(world *mpi.Comm) error {
		if *cells < 1 || *steps < 0 {
			return errors.New("there must be a cell at least, and no less than 0 steps")
		}
		return run(world, *cells, *steps, *file)
	})
}

func run(world *mpi.Comm, cells, steps int, file string) error {
	dims := []int{0, 0}
	if err := mpi.DimsCreate(world.Size(), dims); err != nil {
		return err
	}
	if cells < max(dims[0], dims[1]) {
		return fmt.Errorf("%d x %d cells are too few for %d x %d ranks: use more -cells", cells,
			cells, dims[0], dims[1])
	}
	grid, err := mpi.CartCreate(world, dims, []bool{false, false})
	if err != nil {
		return err
	}
	coords, err := grid.Coords(grid.Rank())
	if err != nil {
		return err
	}
	mine := newPart(cells, dims, coords)
	if err := mine.advance(grid, steps); err != nil {
		return err
	}
	plate, err := gather(grid, cells, mine)
	if err != nil {
		return err
	}
	if err := grid.Free(); err != nil || world.Rank() != 0 {
		return err
	}
	if err := verify(plate, cells, steps); err != nil {
		return err
	}
	text := fmt.Sprintf("heat: %d x %d cells, %d steps on %d x %d ranks: the same bits as by one alone",
		cells, cells, steps, dims[0], dims[1])
	if file != "" {
		if err := draw(file, plate, cells); err != nil {
			return err
		}
		text += "; see " + file
	}
	_, err = fmt.Fprintln(os.Stdout, text)
	return err
}

// gather returns the whole plate on rank 0.
func gather(grid *mpi.Cart, cells int, mine *part) ([]float64, error) {
	sent, err := mine.inside().Isend(grid.Comm, 0, 0)
	if err != nil {
		return nil, err
	}
	var plate []float64
	if grid.Rank() == 0 {
		plate = make([]float64, cells*cells)
		for rank := range grid.Size() {
			coords, err := grid.Coords(rank)
			if err != nil {
				return nil, err
			}
			p := place(cells, grid.Dims(), coords)
			view := mpi.Subarray(plate, []int{cells, cells}, []int{p.height, p.width}, []int{p.top, p.left})
			if _, err := view.Recv(grid.Comm, rank, 0); err != nil {
				return nil, err
			}
		}
	}
	_, err = sent.Wait()
	return plate, err
}

// verify computes the plate once more, as one part.
func verify(plate []float64, cells, steps int) error {
	alone := newPart(cells, []int{1, 1}, []int{0, 0})
	for range steps {
		alone.step()
	}
	for i := range cells {
		for j := range cells {
			if have, want := plate[i*cells+j], alone.now[(i+1)*alone.stride()+j+1]; have != want {
				return fmt.Errorf("row %d, column %d: the ranks have found %v, one alone finds %v", i, j, have, want)
			}
		}
	}
	return nil
}
