package npb

// The operators are sums over the 27 points around each point, with a factor by the
// distance: 0 for the point itself, 1 for the 6 next to its faces, 2 for the 12 at its
// edges, 3 for the 8 at its corners. Rows of sums that points share are made once:
// pairs of the rows above and below (z-1 and z+1) for each y.

// addRows sets dst to a + b.
func addRows(dst, a, b []float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] + b[i]
	}
}

// overRows calls f for every row of a grid but the ghosts, with what it is made of.
func (m *multigrid) overRows(g *grid, f func(y, z int, r *nearby)) {
	width := g.n[xAxis] + 2
	pairs := [3][]float64{m.pairs[0][:width], m.pairs[1][:width], m.pairs[2][:width]}
	n := &m.near
	for z := 1; z <= g.n[zAxis]; z++ {
		addRows(pairs[1], g.row(0, z-1), g.row(0, z+1))
		addRows(pairs[2], g.row(1, z-1), g.row(1, z+1))
		for y := 1; y <= g.n[yAxis]; y++ {
			pairs[0], pairs[1], pairs[2] = pairs[1], pairs[2], pairs[0]
			addRows(pairs[2], g.row(y+1, z-1), g.row(y+1, z+1))
			n.before, n.here, n.after = g.row(y-1, z), g.row(y, z), g.row(y+1, z)
			n.pairBefore, n.pair, n.pairAfter = pairs[0], pairs[1], pairs[2]
			f(y, z, n)
		}
	}
}

// nearby are the rows at y-1, y and y+1, and for the same the pairs.
type nearby struct{ before, here, after, pairBefore, pair, pairAfter []float64 }

// residual sets r to v - A u, also where r is v, and fetches the ghosts.
func (m *multigrid) residual(r, v, u *grid) error {
	m.overRows(u, func(y, z int, n *nearby) { residualRow(r.row(y, z), v.row(y, z), n) })
	return m.exchange(r)
}

func residualRow(dst, v []float64, n *nearby) {
	const a0, a2, a3 = -8.0 / 3, 1.0 / 6, 1.0 / 12 // a1 is 0
	here := n.here
	dst, v = dst[:len(here)], v[:len(here)]
	before, after := n.before[:len(here)], n.after[:len(here)]
	pairBefore, pair, pairAfter := n.pairBefore[:len(here)], n.pair[:len(here)], n.pairAfter[:len(here)]
	if len(here) < 2 {
		return
	}
	// Sums around the last point, this one and the next: with those next to the face and
	// those at the edge, of the same x.
	face0, edge0 := before[0]+after[0]+pair[0], pairBefore[0]+pairAfter[0]
	face1, edge1 := before[1]+after[1]+pair[1], pairBefore[1]+pairAfter[1]
	for i := 2; i < len(here); i++ {
		face2, edge2 := before[i]+after[i]+pair[i], pairBefore[i]+pairAfter[i]
		dst[i-1] = v[i-1] - a0*here[i-1] - a2*(edge1+face0+face2) - a3*(edge0+edge2)
		face0, face1, edge0, edge1 = face1, face2, edge1, edge2
	}
}

// smooth adds S r to u and fetches the ghosts.
func (m *multigrid) smooth(u, r *grid) error {
	c := m.smoother
	m.overRows(r, func(y, z int, n *nearby) { smoothRow(u.row(y, z), n, c[0], c[1], c[2]) })
	return m.exchange(u)
}

func smoothRow(dst []float64, n *nearby, c0, c1, c2 float64) { // c3 is 0
	here := n.here
	dst = dst[:len(here)]
	before, after := n.before[:len(here)], n.after[:len(here)]
	pairBefore, pair, pairAfter := n.pairBefore[:len(here)], n.pair[:len(here)], n.pairAfter[:len(here)]
	if len(here) < 2 {
		return
	}
	here0, here1 := here[0], here[1]
	face0, face1 := before[0]+after[0]+pair[0], before[1]+after[1]+pair[1]
	for i := 2; i < len(here); i++ {
		here2, face2 := here[i], before[i]+after[i]+pair[i]
		dst[i-1] += c0*here1 + c1*(here0+here2+face1) + c2*(pairBefore[i-1]+pairAfter[i-1]+face0+face2)
		here0, here1, face0, face1 = here1, here2, face1, face2
	}
}
