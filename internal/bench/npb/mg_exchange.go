package npb

import (
	"github.com/gopvas/gopvas/internal/bench/rankside"
	"github.com/gopvas/gopvas/mpi"
)

// exchange sets the ghosts of a grid to the points that they are copies of: along x,
// then y, then z, each time with the ghosts that are set already, so that edges and
// corners get there too.
func (m *multigrid) exchange(g *grid) {
	for axis, n := range g.n {
		if g.whole || m.across[axis] == 1 {
			g.wrap(axis)
			continue
		}
		below, above := m.neighbor(axis, -1), m.neighbor(axis, 1)
		m.pass(g, axis, 1, below, n+1, above)
		m.pass(g, axis, n, above, 0, below)
	}
}

// pass sends the face at out along an axis to a rank, and sets that at in to what
// comes from another.
func (m *multigrid) pass(g *grid, axis, out, to, in, from int) {
	send := g.face(axis, out, m.faceA)
	tag := 2 * axis
	if in == 0 {
		tag++
	}
	if axis == zAxis {
		rankside.Value(mpi.Sendrecv(m.world, send, to, tag, g.plane(in), from, tag))
	}
	receive := m.faceB[:len(send)]
	rankside.Value(mpi.Sendrecv(m.world, send, to, tag, receive, from, tag))
	g.setFace(axis, in, receive)
}
