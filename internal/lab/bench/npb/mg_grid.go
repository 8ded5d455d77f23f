package npb

// A grid is a block of points in three dimensions, with a layer of ghosts around it:
// copies of what lies beyond, from the neighbours or from the other side. Indices count
// from 1, and the ghosts are 0 and n+1. x changes fastest.
type grid struct {
	n     [3]int // points along x, y, z, without ghosts
	whole bool   // this rank has all points
	data  []float64
}

const (
	xAxis = iota
	yAxis
	zAxis
)

func newGrid(n [3]int, whole bool) *grid {
	return &grid{n, whole, make([]float64, (n[xAxis]+2)*(n[yAxis]+2)*(n[zAxis]+2))}
}

// row returns a row of points along x, ghosts included.
func (g *grid) row(y, z int) []float64 {
	width := g.n[xAxis] + 2
	return g.data[(z*(g.n[yAxis]+2)+y)*width:][:width]
}

// plane returns all points of a z, ghosts included.
func (g *grid) plane(z int) []float64 {
	size := (g.n[xAxis] + 2) * (g.n[yAxis] + 2)
	return g.data[z*size:][:size]
}

// face returns the points at a place along an axis: in the grid itself if they lie
// close there, else copied to buf. Ghosts belong to it along the axes before.
func (g *grid) face(axis, at int, buf []float64) []float64 {
	if axis == zAxis {
		return g.plane(at)
	}
	n := 0
	for z := 1; z <= g.n[zAxis]; z++ {
		if axis == yAxis {
			n += copy(buf[n:], g.row(at, z))
			continue
		}
		for y := 1; y <= g.n[yAxis]; y++ {
			buf[n] = g.row(y, z)[at]
			n++
		}
	}
	return buf[:n]
}

// setFace is the inverse of face.
func (g *grid) setFace(axis, at int, points []float64) {
	if axis == zAxis {
		copy(g.plane(at), points)
		return
	}
	for z := 1; z <= g.n[zAxis]; z++ {
		if axis == yAxis {
			points = points[copy(g.row(at, z), points):]
			continue
		}
		for y := 1; y <= g.n[yAxis]; y++ {
			g.row(y, z)[at] = points[y-1]
		}
		points = points[g.n[yAxis]:]
	}
}

// wrap sets the ghosts along an axis to what is at the other side of the grid.
func (g *grid) wrap(axis int) {
	n := g.n[axis]
	if axis == zAxis {
		copy(g.plane(0), g.plane(n))
		copy(g.plane(n+1), g.plane(1))
		return
	}
	for z := 1; z <= g.n[zAxis]; z++ {
		if axis == yAxis {
			copy(g.row(0, z), g.row(n, z))
			copy(g.row(n+1, z), g.row(1, z))
			continue
		}
		for y := 1; y <= g.n[yAxis]; y++ {
			row := g.row(y, z)
			row[0], row[n+1] = row[n], row[1]
		}
	}
}

// insertBox copies the points of part to whole, where at of its points come before
// along each axis.
func insertBox(whole, part *grid, at [3]int) {
	for z := 1; z <= part.n[zAxis]; z++ {
		for y := 1; y <= part.n[yAxis]; y++ {
			copy(whole.row(at[yAxis]+y, at[zAxis]+z)[at[xAxis]+1:], part.row(y, z)[1:part.n[xAxis]+1])
		}
	}
}

// extractBox is the inverse, and copies the ghosts as well.
func extractBox(part, whole *grid, at [3]int) {
	for z := range part.n[zAxis] + 2 {
		for y := range part.n[yAxis] + 2 {
			copy(part.row(y, z), whole.row(at[yAxis]+y, at[zAxis]+z)[at[xAxis]:])
		}
	}
}
