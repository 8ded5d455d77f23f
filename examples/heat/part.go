package main

import (
	"github.com/gopvas/gopvas/mpi"
)

// rectangle is where a part lies on the plate, in cells.
type rectangle struct{ top, left, height, width int }

// place divides the plate as evenly as possible.
func place(cells int, dims, coords []int) rectangle {
	first := func(dim, i int) int { return cells * i / dims[dim] }
	r := rectangle{top: first(0, coords[0]), left: first(1, coords[1])}
	r.height = first(0, coords[0]+1) - r.top
	r.width = first(1, coords[1]+1) - r.left
	return r
}

// part is one rank's cells, with a frame of one cell around them: the neighbours' cells
// next to them, or the edge of the plate, whose temperature stays.
type part struct {
	rectangle
	now, next []float64
}

func (p *part) stride() int { return p.width + 2 }

// newPart is the plate at the beginning: cold, but for a hot disc in the middle, a hot
// left edge and, at the bottom, an edge that becomes warmer to the right.
func newPart(cells int, dims, coords []int) *part {
	p := &part{rectangle: place(cells, dims, coords)}
	p.now = make([]float64, (p.height+2)*p.stride())
	for i := range p.height + 2 {
		for j := range p.stride() {
			p.now[i*p.stride()+j] = beginning(cells, p.top+i-1, p.left+j-1)
		}
	}
	p.next = append([]float64(nil), p.now...)
	return p
}

func beginning(cells, i, j int) float64 {
	x, y := (float64(j)+0.5)/float64(cells)-0.5, (float64(i)+0.5)/float64(cells)-0.5
	switch {
	case i < 0:
		return 0
	case i >= cells:
		return min(1, max(0, x+0.5))
	case j < 0:
		return 1
	case j >= cells:
		return 0
	case x*x+y*y < 0.04:
		return 1
	}
	return 0
}

// step computes the next temperatures from those of now.
func (p *part) step() {
	const share = 0.2 // of the difference to each neighbour; stable up to 1/4
	w := p.stride()
	for i := 1; i <= p.height; i++ {
		above, row, below := p.now[(i-1)*w:][:w], p.now[i*w:][:w], p.now[(i+1)*w:][:w]
		next := p.next[i*w:][:w]
		for j := 1; j <= p.width; j++ {
			next[j] = row[j] + share*((above[j]+below[j])+(row[j-1]+row[j+1])-4*row[j])
		}
	}
	p.now, p.next = p.next, p.now
}

// borders are the outermost cells of a part, which its neighbours need, and the frame,
// which is theirs: above, below, to the left and to the right, as a grid has neighbours.
type borders struct{ cells, frame []mpi.View[float64] }

func (p *part) borders(of []float64) (b borders) {
	piece := func(top, left, height, width int) mpi.View[float64] {
		return mpi.Subarray(of, []int{p.height + 2, p.stride()}, []int{height, width}, []int{top, left})
	}
	h, w := p.height, p.width
	b.cells = []mpi.View[float64]{piece(1, 1, 1, w), piece(h, 1, 1, w), piece(1, 1, h, 1), piece(1, w, h, 1)}
	b.frame = []mpi.View[float64]{piece(0, 1, 1, w), piece(h+1, 1, 1, w), piece(1, 0, h, 1), piece(1, w+1, h, 1)}
	return b
}

// inside is the part without its frame.
func (p *part) inside() mpi.View[float64] {
	return mpi.Subarray(p.now, []int{p.height + 2, p.stride()}, []int{p.height, p.width}, []int{1, 1})
}

// advance makes so many steps, together with the ranks around.
func (p *part) advance(grid *mpi.Cart, steps int) error {
	now, next := p.borders(p.now), p.borders(p.next)
	for range steps {
		if err := mpi.NeighborAlltoallw(grid.Comm, now.cells, now.frame); err != nil {
			return err
		}
		p.step()
		now, next = next, now
	}
	return nil
}
