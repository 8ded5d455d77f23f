package datatype

// grid is where the runs of two nested loops lie.
type grid struct {
	addr         uintptr
	outer, inner int64 // strides
}

func (g grid) at(i, j int64) uintptr { return g.addr + uintptr(i*g.outer+j*g.inner) }

// across tells whether the inner loop makes the longer steps.
func (g grid) across() bool { return abs(g.outer) < abs(g.inner) }

// turned is the grid with its loops exchanged.
func (g grid) turned() grid { return grid{g.addr, g.inner, g.outer} }

const (
	cacheLine = 64
	tileRows  = 32
	tileRuns  = 256
	leastRuns = 16 // fewer are no inner loop if there are more rows
)

// plane copies rows*runs runs of size bytes. It may do that in any order. It goes along the
// cache lines of both if it can, and chooses long inner loops. A transpose goes along those that
// are written: the processor waits for fewer lines that it reads than for those that it writes.
// It goes by tiles, which use all of a line that is read while that is in the cache.
func plane(d, s grid, rows, runs, size int64) {
	if d.across() && s.across() {
		d, s, rows, runs = d.turned(), s.turned(), runs, rows
	}
	if d.inner == size && s.inner == size {
		strided(d.addr, d.outer, s.addr, s.outer, rows, runs*size)
		return
	}
	if runs < leastRuns && rows > runs || rows >= leastRuns && crosses(d) {
		d, s, rows, runs = d.turned(), s.turned(), runs, rows
	}
	height, width := rows, runs
	if size < cacheLine && (crosses(d) || crosses(s)) {
		height, width = tileRows, tileRuns
	}
	for j := int64(0); j < runs; j += width {
		n := min(width, runs-j)
		for i := int64(0); i < rows; i += height {
			for k := i; k < min(i+height, rows); k++ {
				strided(d.at(k, j), d.inner, s.at(k, j), s.inner, n, size)
			}
		}
	}
}

// crosses tells whether the inner loop goes from cache line to cache line while the outer
// one goes along them.
func crosses(g grid) bool {
	return abs(g.outer) < cacheLine && abs(g.inner) >= cacheLine
}

func abs(a int64) int64 { return max(a, -a) }
