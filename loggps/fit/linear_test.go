package fit

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestSolvePositive: of the vectors without a negative parameter the solution is the best. It is if
// the residual does not become smaller in any direction that is open: Kuhn and Tucker.
func TestSolvePositive(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	bound := 0
	for range 50 {
		var sys system
		for range 40 {
			var row vector
			for i := range row {
				row[i] = random.NormFloat64()
			}
			sys.add(row, random.NormFloat64(), 1)
		}
		x := sys.solvePositive()
		for i := range parameters {
			slope := 0.0
			for r, row := range sys.rows {
				off := -sys.times[r]
				for j := range row {
					off += row[j] * x[j]
				}
				slope += row[i] * off
			}
			if x[i] == 0 {
				bound++
				assert.GreaterOrEqual(t, slope, -1e-9)
			} else {
				assert.Positive(t, x[i])
				assert.InDelta(t, 0, slope, 1e-9)
			}
		}
	}
	assert.NotZero(t, bound)
}
