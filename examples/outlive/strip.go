package main

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/gopvas/gopvas/mpi"
)

// strip is some rows of the plate: those of a version, and those of the next one, which are being written.
type strip struct {
	top, cells   int // the first row; cells of all rows
	kept         *mpi.Kept[float64]
	above, below []float64 // the rows next to it
}

func name(number int) string { return fmt.Sprint("strip ", number) }

// keep makes a strip in memory that outlives this rank.
func (p *plate) keep(number int) (*strip, error) {
	first, end := p.world.Block(p.cells, number)
	s := &strip{top: first, cells: (end - first) * p.cells}
	s.above, s.below = make([]float64, p.cells), make([]float64, p.cells)
	var err error
	s.kept, err = mpi.Keep[float64](p.world, name(number), 2*s.cells)
	p.strips[number] = s
	return s, err
}

// in is the cells of a version.
func (s *strip) in(version int) []float64 { return s.kept.Elements()[version%2*s.cells:][:s.cells] }

// begin makes a strip of the plate as it is at first: warm in some places.
func (p *plate) begin(number int) error {
	s, err := p.keep(number)
	if err != nil {
		return err
	}
	cells := s.in(1)
	for i := range cells {
		row, column := s.top+i/p.cells, i%p.cells
		cells[i] = float64(row*column%7) / 7
	}
	s.kept.SetVersion(1)
	return nil
}

// inherit finds out who has which strip from now on, and takes over those that were of ranks that have failed. A strip
// goes from a rank to the next one that lives.
func (p *plate) inherit(c *mpi.Comm) error {
	members, err := mpi.AllgatherOne(c, p.world.Rank())
	if err != nil {
		return err
	}
	at := map[int]int{}
	for i, rank := range members {
		at[rank] = i
	}
	size := p.world.Size()
	p.owners = make([]int, size)
	for number := range size {
		heir := number
		for ; ; heir = (heir + 1) % size {
			if i, lives := at[heir]; lives {
				p.owners[number] = i
				break
			}
		}
		if heir == p.world.Rank() && p.strips[number] == nil {
			if err := p.take(number); err != nil {
				return err
			}
		}
	}
	return nil
}

// take takes over a strip of a rank that has failed: the last of those that have had it. One that has failed while it
// took it over has left no version.
func (p *plate) take(number int) error {
	size := p.world.Size()
	for rank := p.world.Rank(); rank != number; {
		rank = (rank + size - 1) % size
		cells, version, err := mpi.KeptOf[float64](p.world, rank, name(number))
		if errors.Is(err, mpi.ErrNotKept) || err == nil && version == 0 {
			continue
		}
		if err != nil {
			return err
		}
		s, err := p.keep(number)
		if err == nil {
			copy(s.kept.Elements(), cells)
			s.kept.SetVersion(version)
		}
		return err
	}
	return fmt.Errorf("nobody has left strip %d", number)
}

// step computes the next version of the strips of this rank.
func (p *plate) step(c *mpi.Comm, version int) error {
	if err := p.exchange(c, version); err != nil {
		return err
	}
	for _, s := range p.strips {
		now, next := s.in(version), s.in(version+1)
		for i := range now {
			if version == p.dies && i == len(now)/2 {
				return syscall.Kill(os.Getpid(), syscall.SIGKILL)
			}
			next[i] = now[i] + (s.around(now, i, p.cells)-4*now[i])/8
		}
	}
	return nil
}

// around is the sum of the neighbours of a cell. Left and right of the plate it is cold.
func (s *strip) around(now []float64, i, width int) (sum float64) {
	column := i % width
	if column > 0 {
		sum += now[i-1]
	}
	if column < width-1 {
		sum += now[i+1]
	}
	if i >= width {
		sum += now[i-width]
	} else {
		sum += s.above[column]
	}
	if i < len(now)-width {
		return sum + now[i+width]
	}
	return sum + s.below[column]
}

// exchange gets the rows above and below each strip of this rank, where there are some. The row of a message is told by
// its tag: the first of strip n is 2n, the last 2n+1.
func (p *plate) exchange(c *mpi.Comm, version int) error {
	return mpi.WaitBatch(func(b *mpi.Batch) error {
		for number, s := range p.strips {
			now := s.in(version)
			if number > 0 {
				owner := p.owners[number-1]
				b.Add(mpi.Irecv(c, s.above, owner, 2*(number-1)+1))
				b.Add(mpi.Isend(c, now[:p.cells], owner, 2*number))
			}
			if number+1 < len(p.owners) {
				owner := p.owners[number+1]
				b.Add(mpi.Irecv(c, s.below, owner, 2*(number+1)))
				b.Add(mpi.Isend(c, now[len(now)-p.cells:], owner, 2*number+1))
			}
		}
		return nil
	})
}
