package overlap

// matrices are what a rank of the overlap benchmark computes with: a product is as long
// as the grain says.
type matrices struct {
	n       int
	a, b, c []float64 // n rows of n
}

func newMatrices(n int) *matrices {
	m := &matrices{n, make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)}
	for i := range m.a {
		m.a[i], m.b[i] = float64(i), float64(i)
	}
	return m
}

// multiply sets c = a b. It is not inlined: the same code must run in every loop, as they
// are compared.
//
//go:noinline
func (m *matrices) multiply() {
	n, b := m.n, m.b
	for i := range n {
		row, out := m.a[i*n:][:n], m.c[i*n:][:n]
		for j := range out {
			sum, at := 0.0, j
			for _, x := range row {
				sum += x * b[at]
				at += n
			}
			out[j] = sum
		}
	}
}
