package npb

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The matrix is symmetric, and its blocks fit together.
func TestCGMatrix(t *testing.T) {
	p := cgProblem{n: 50, nonzeros: 4, shift: 3}
	whole := span{0, p.n}
	all := dense(p.block(whole, whole), p.n, p.n)
	require.Equal(t, all, dense(makeBlock[uint32](p, whole, whole), p.n, p.n))
	nonzeros := 0
	for i, row := range all {
		require.NotZero(t, row[i])
		for j, v := range row {
			require.InDelta(t, all[j][i], v, 1e-15)
			if v != 0 {
				nonzeros++
			}
		}
	}
	require.Greater(t, nonzeros, p.n*p.nonzeros)
	require.Less(t, nonzeros, p.n*(p.nonzeros+1)*(p.nonzeros+1))
	for _, rows := range []span{{0, 13}, {13, 50}} {
		for _, columns := range []span{{0, 31}, {31, 50}} {
			for i, row := range dense(p.block(rows, columns), rows.len(), columns.len()) {
				require.Equal(t, all[rows.first+i][columns.first:columns.end], row)
			}
		}
	}
}

// dense makes the elements of a matrix by multiplying it with unit vectors.
func dense(m matrix, rows, columns int) [][]float64 {
	result := make([][]float64, rows)
	for i := range result {
		result[i] = make([]float64, columns)
	}
	column, e := make([]float64, rows), make([]float64, 64)
	for j := range columns {
		e[j] = 1
		m.times(column, e)
		e[j] = 0
		for i, v := range column {
			result[i][j] = v
		}
	}
	return result
}

// Each column of the grid has its columns of the matrix, each row as many rows, and
// what a rank adds up is what its partner needs.
func TestCGGrid(t *testing.T) {
	const n = 1001
	for power := range 8 {
		grids := make([]cgGrid, 1<<power)
		for rank := range grids {
			grids[rank] = placeInGrid(n, rank, len(grids))
		}
		covered := 0
		for rank, g := range grids {
			covered += g.columns().len() * g.rows().len()
			partner := grids[g.partner]
			require.Equal(t, rank, partner.partner)
			require.Equal(t, g.columns(), partner.part(partner.r*partner.fold+partner.c%partner.fold))
			require.Equal(t, g.columns().len(), len(partner.half))
		}
		require.Equal(t, n*n, covered)
	}
}
