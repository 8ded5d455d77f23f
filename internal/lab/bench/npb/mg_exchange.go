package npb

import "github.com/gopvas/gopvas/mpi"

// exchange sets the ghosts of a grid to the points that they are copies of: along x,
// then y, then z, each time with the ghosts that are set already, so that edges and
// corners get there too.
func (m *multigrid) exchange(g *grid) error {
	for axis, n := range g.n {
		if g.whole || m.across[axis] == 1 {
			g.wrap(axis)
			continue
		}
		below, above := m.neighbor(axis, -1), m.neighbor(axis, 1)
		if err := m.pass(g, axis, 1, below, n+1, above); err != nil {
			return err
		}
		if err := m.pass(g, axis, n, above, 0, below); err != nil {
			return err
		}
	}
	return nil
}

// pass sends the face at out along an axis to a rank, and sets that at in to what
// comes from another.
func (m *multigrid) pass(g *grid, axis, out, to, in, from int) error {
	send := g.face(axis, out, m.faceA)
	tag := 2 * axis
	if in == 0 {
		tag++
	}
	if axis == zAxis {
		_, err := mpi.Sendrecv(m.world, send, to, tag, g.plane(in), from, tag)
		return err
	}
	receive := m.faceB[:len(send)]
	if _, err := mpi.Sendrecv(m.world, send, to, tag, receive, from, tag); err != nil {
		return err
	}
	g.setFace(axis, in, receive)
	return nil
}
