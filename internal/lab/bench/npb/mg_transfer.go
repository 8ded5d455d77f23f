package npb

// Between levels: point j of a grid is point 2j of the finer one.

// restrict sets the points of coarse to weighted means of those of fine around them.
func (m *multigrid) restrict(coarse, fine *grid) {
	width := fine.n[xAxis] + 2
	pairs := [3][]float64{m.pairs[0][:width], m.pairs[1][:width], m.pairs[2][:width]}
	for z := 1; z <= coarse.n[zAxis]; z++ {
		addRows(pairs[2], fine.row(1, 2*z-1), fine.row(1, 2*z+1))
		for y := 1; y <= coarse.n[yAxis]; y++ {
			pairs[0], pairs[2] = pairs[2], pairs[0]
			addRows(pairs[1], fine.row(2*y, 2*z-1), fine.row(2*y, 2*z+1))
			addRows(pairs[2], fine.row(2*y+1, 2*z-1), fine.row(2*y+1, 2*z+1))
			restrictRow(coarse.row(y, z)[1:],
				&nearby{fine.row(2*y-1, 2*z), fine.row(2*y, 2*z), fine.row(2*y+1, 2*z), pairs[0], pairs[1], pairs[2]})
		}
	}
}

func restrictRow(dst []float64, n *nearby) {
	here := n.here
	before, after := n.before[:len(here)], n.after[:len(here)]
	pairBefore, pair, pairAfter := n.pairBefore[:len(here)], n.pair[:len(here)], n.pairAfter[:len(here)]
	if len(here) < 2 {
		return
	}
	here0, face0, edge0 := here[1], before[1]+after[1]+pair[1], pairBefore[1]+pairAfter[1]
	// That i is not negative has to be said, to spare checks.
	for i := 3; i > 0 && i < len(here) && len(dst) > 0; i += 2 {
		face1, edge1 := before[i-1]+after[i-1]+pair[i-1], pairBefore[i-1]+pairAfter[i-1]
		here2, face2, edge2 := here[i], before[i]+after[i]+pair[i], pairBefore[i]+pairAfter[i]
		dst[0] = 0.5*here[i-1] + 0.25*(here0+here2+face1) + 0.125*(face0+face2+edge1) + 0.0625*(edge0+edge2)
		here0, face0, edge0, dst = here2, face2, edge2, dst[1:]
	}
}

// interpolate adds to fine what lies between the points of coarse, ghosts included.
func (m *multigrid) interpolate(fine, coarse *grid) {
	for z := range coarse.n[zAxis] + 1 {
		for y := range coarse.n[yAxis] + 1 {
			c00, c10 := coarse.row(y, z), coarse.row(y+1, z)
			c01, c11 := coarse.row(y, z+1), coarse.row(y+1, z+1)
			interpolateRow(fine.row(2*y, 2*z), c00)
			interpolateRow2(fine.row(2*y+1, 2*z), c00, c10)
			interpolateRow2(fine.row(2*y, 2*z+1), c00, c01)
			interpolateRow4(fine.row(2*y+1, 2*z+1), c00, c10, c01, c11)
		}
	}
}

// interpolateRow is for a row that lies on one of the coarse grid.
func interpolateRow(dst, a []float64) {
	last := a[0]
	for i := 1; i < len(a) && len(dst) >= 2; i++ {
		next := a[i]
		dst[0] += last
		dst[1] += 0.5 * (last + next)
		last, dst = next, dst[2:]
	}
}

// interpolateRow2 is for a row between two.
func interpolateRow2(dst, a, b []float64) {
	b = b[:len(a)]
	last := a[0] + b[0]
	for i := 1; i < len(a) && len(dst) >= 2; i++ {
		next := a[i] + b[i]
		dst[0] += 0.5 * last
		dst[1] += 0.25 * (last + next)
		last, dst = next, dst[2:]
	}
}

// interpolateRow4 is for a row between four.
func interpolateRow4(dst, a, b, c, d []float64) {
	b, c, d = b[:len(a)], c[:len(a)], d[:len(a)]
	last := a[0] + b[0] + c[0] + d[0]
	for i := 1; i < len(a) && len(dst) >= 2; i++ {
		next := a[i] + b[i] + c[i] + d[i]
		dst[0] += 0.25 * last
		dst[1] += 0.125 * (last + next)
		last, dst = next, dst[2:]
	}
}
