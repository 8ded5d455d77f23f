package main

import (
	"slices"

	"github.com/gopvas/gopvas/mpi"
)

const (
	diagonalTag = iota
	lowerTag
	upperTag
)

// factor replaces the matrix by its triangles. The lower one has a diagonal of ones, which
// is not stored.
func (m *matrix) factor(ahead bool) error {
	steps := m.rows.blocks()
	if err := m.makePanel(0); err != nil {
		return err
	}
	for k := range steps {
		if err := m.receivePanel(k); err != nil {
			return err
		}
		next := k + 1
		rows, cols := 0, 0 // of the next panel, which are updated first
		if next < steps && m.rows.mine(next) {
			rows = m.rows.size(next)
		}
		if next < steps && m.cols.mine(next) {
			cols = m.cols.size(next)
		}
		m.update(k, 0, rows, 0, m.cols.count())
		m.update(k, rows, m.rows.count(), 0, cols)
		if !ahead {
			m.update(k, rows, m.rows.count(), cols, m.cols.count())
		}
		if next < steps {
			if err := m.makePanel(next); err != nil {
				return err
			}
		}
		if ahead {
			m.update(k, rows, m.rows.count(), cols, m.cols.count())
		}
	}
	return nil
}

// update subtracts the product of the panel of step k from a range of the rank's rows and
// columns. They are counted from the first that lie behind the step.
func (m *matrix) update(k, firstRow, endRow, firstCol, endCol int) {
	r0, c0, w := m.rows.before(k+1), m.cols.before(k+1), m.rows.size(k)
	p, cols := m.panels[k%2], m.cols.count()-c0
	endRow, endCol = min(endRow, m.rows.count()-r0), min(endCol, cols)
	if firstCol >= endCol {
		return
	}
	for i := firstRow; i < endRow; i++ {
		row := m.a[r0+i][c0+firstCol : c0+endCol]
		for t, l := range p.lower[i*w : (i+1)*w] {
			upper := p.upper[t*cols+firstCol : t*cols+endCol]
			for j, u := range upper {
				row[j] -= l * u
			}
		}
	}
}

// makePanel computes what the rank has of the panel of step k, and sends it on.
func (m *matrix) makePanel(k int) error {
	inRow, inCol := m.rows.mine(k), m.cols.mine(k)
	if !inRow && !inCol {
		return nil
	}
	if err := m.shareDiagonal(k, inRow, inCol); err != nil {
		return err
	}
	if inCol {
		if err := m.toRow(m.lower(k), lowerTag); err != nil {
			return err
		}
	}
	if inRow {
		return m.toColumn(m.upper(k), upperTag)
	}
	return nil
}

// shareDiagonal factors the block on the diagonal, on the rank that has it, and sends it to
// the others of its row and column.
func (m *matrix) shareDiagonal(k int, inRow, inCol bool) error {
	w := m.rows.size(k)
	d := m.diagonal[:w*w]
	if !inRow || !inCol {
		return m.recv(d, m.rank(k%m.rows.ranks, k%m.cols.ranks), diagonalTag)
	}
	r0, c0 := m.rows.before(k), m.cols.before(k)
	for t := range w {
		pivot := m.a[r0+t][c0 : c0+w]
		for i := t + 1; i < w; i++ {
			row := m.a[r0+i][c0 : c0+w]
			row[t] /= pivot[t]
			for j := t + 1; j < w; j++ {
				row[j] -= row[t] * pivot[j]
			}
		}
	}
	for t := range w {
		copy(d[t*w:], m.a[r0+t][c0:c0+w])
	}
	if err := m.toColumn(d, diagonalTag); err != nil {
		return err
	}
	return m.toRow(d, diagonalTag)
}

// lower computes the column of blocks below the diagonal, and returns it packed.
func (m *matrix) lower(k int) []float64 {
	r0, c0, w := m.rows.before(k+1), m.cols.before(k), m.rows.size(k)
	packed := m.panels[k%2].lower[:(m.rows.count()-r0)*w]
	for i := range m.rows.count() - r0 {
		row := m.a[r0+i][c0 : c0+w]
		for t := range w {
			for s := range t {
				row[t] -= row[s] * m.diagonal[s*w+t]
			}
			row[t] /= m.diagonal[t*w+t]
		}
		copy(packed[i*w:], row)
	}
	return packed
}

// upper computes the row of blocks right of the diagonal, and returns it packed.
func (m *matrix) upper(k int) []float64 {
	r0, c0, w := m.rows.before(k), m.cols.before(k+1), m.rows.size(k)
	cols := m.cols.count() - c0
	packed := m.panels[k%2].upper[:cols*w]
	for t := range w {
		row := m.a[r0+t][c0:]
		for s := range t {
			l := m.diagonal[t*w+s]
			for j, u := range packed[s*cols : (s+1)*cols] {
				row[j] -= l * u
			}
		}
		copy(packed[t*cols:], row)
	}
	return packed
}

// receivePanel receives what others have of the panel of step k and the rank needs.
func (m *matrix) receivePanel(k int) error {
	w, p := m.rows.size(k), m.panels[k%2]
	lower := p.lower[:(m.rows.count()-m.rows.before(k+1))*w]
	if !m.cols.mine(k) && len(lower) > 0 {
		if err := m.recv(lower, m.rank(m.rows.at, k%m.cols.ranks), lowerTag); err != nil {
			return err
		}
	}
	upper := p.upper[:(m.cols.count()-m.cols.before(k+1))*w]
	if !m.rows.mine(k) && len(upper) > 0 {
		if err := m.recv(upper, m.rank(k%m.rows.ranks, m.cols.at), upperTag); err != nil {
			return err
		}
	}
	return nil
}

func (m *matrix) rank(row, col int) int { return row*m.cols.ranks + col }

// toRow sends to the other ranks of the row of the grid, the next one first.
func (m *matrix) toRow(data []float64, tag int) error {
	for d := 1; d < m.cols.ranks && len(data) > 0; d++ {
		if err := m.send(data, m.rank(m.rows.at, (m.cols.at+d)%m.cols.ranks), tag); err != nil {
			return err
		}
	}
	return nil
}

// toColumn sends to the other ranks of the column of the grid, the next one first.
func (m *matrix) toColumn(data []float64, tag int) error {
	for d := 1; d < m.rows.ranks && len(data) > 0; d++ {
		if err := m.send(data, m.rank((m.rows.at+d)%m.rows.ranks, m.cols.at), tag); err != nil {
			return err
		}
	}
	return nil
}

// send sends elements in pieces, none of which is longer than the fragment.
func (m *matrix) send(data []float64, to, tag int) error {
	for piece := range slices.Chunk(data, m.fragment) {
		if err := mpi.Send(m.world, piece, to, tag); err != nil {
			return err
		}
	}
	return nil
}

// recv receives what send has sent.
func (m *matrix) recv(data []float64, from, tag int) error {
	for piece := range slices.Chunk(data, m.fragment) {
		if _, err := mpi.Recv(m.world, piece, from, tag); err != nil {
			return err
		}
	}
	return nil
}
