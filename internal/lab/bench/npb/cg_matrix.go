package npb

import (
	"math"
	"slices"
)

// A matrix multiplies: it sets dst to the product with src, the length of which is a
// power of two and not less than the number of columns.
type matrix interface{ times(dst, src []float64) }

// A sparse matrix has for each row the elements that are not zero, four at a time; the
// last four of a row are filled up with zeros. A row ends where the next begins. The
// numbers of columns are as short as can be: the matrix does not stay in the cache, so
// that its length is what counts.
type sparse[C uint16 | uint32] struct {
	rows    []int // where each begins in fours; and where the last ends
	values  [][4]float64
	columns [][4]C // from the first of the block
}

// times relies on the length of src to spare a check for each element.
func (m *sparse[C]) times(dst, src []float64) {
	if len(src) == 0 {
		return
	}
	mask := uint(len(src) - 1)
	begin := 0
	for i, end := range m.rows[1:][:len(dst)] {
		var s0, s1, s2, s3 float64
		values := m.values[begin:end]
		columns := m.columns[begin:][:len(values)]
		for k := range values {
			v, c := &values[k], &columns[k]
			s0 += v[0] * src[uint(c[0])&mask]
			s1 += v[1] * src[uint(c[1])&mask]
			s2 += v[2] * src[uint(c[2])&mask]
			s3 += v[3] * src[uint(c[3])&mask]
		}
		dst[i] = (s0 + s1) + (s2 + s3)
		begin = end
	}
}

// An element of a sparse vector.
type element struct {
	at    int
	value float64
}

// block makes a block of the matrix. All of it is a sum over random sparse vectors x[i],
// of w[i] x[i] x[i]', where w falls from 1 to 0.1, plus a multiple of the identity.
func (p cgProblem) block(rows, columns span) matrix {
	if columns.len() <= 1<<16 {
		return makeBlock[uint16](p, rows, columns)
	}
	return makeBlock[uint32](p, rows, columns)
}

// cgCondition is the last weight, and what the identity is multiplied by but for the shift.
const cgCondition = 0.1

func makeBlock[C uint16 | uint32](p cgProblem, rows, columns span) *sparse[C] {
	vectors := p.vectors()
	weight, ratio := make([]float64, p.n), math.Pow(cgCondition, 1/float64(p.n))
	in := make([][]int32, rows.len()) // by row: the vectors that have an element there
	for i, w := 0, 1.0; i < p.n; i, w = i+1, w*ratio {
		weight[i] = w
		for _, e := range vectors[i] {
			if e.at >= rows.first && e.at < rows.end {
				in[e.at-rows.first] = append(in[e.at-rows.first], int32(i))
			}
		}
	}
	m := &sparse[C]{rows: make([]int, 1, rows.len()+1)}
	sums := rowSums{values: make([]float64, columns.len()), used: make([]bool, columns.len())}
	for r, list := range in {
		for _, i := range list {
			factor := weight[i] * valueAt(vectors[i], rows.first+r)
			for _, e := range vectors[i] {
				if e.at >= columns.first && e.at < columns.end {
					sums.add(e.at-columns.first, factor*e.value)
				}
			}
		}
		if d := rows.first + r; d >= columns.first && d < columns.end {
			sums.add(d-columns.first, cgCondition-p.shift)
		}
		drain(&sums, m)
	}
	return m
}

// vectors makes the random vectors: each has so many elements at random places, and
// a half at the place of its number.
func (p cgProblem) vectors() [][]element {
	seed := sequence(314159265)
	seed.next()
	places := 1.0
	for int(places) < p.n {
		places *= 2
	}
	vectors := make([][]element, p.n)
	for i := range vectors {
		v := make([]element, 0, p.nonzeros+1)
		for len(v) < p.nonzeros {
			value := seed.next()
			at := int(places * seed.next())
			if at < p.n && indexOf(v, at) < 0 {
				v = append(v, element{at, value})
			}
		}
		if k := indexOf(v, i); k >= 0 {
			v[k].value = 0.5
		} else {
			v = append(v, element{i, 0.5})
		}
		vectors[i] = v
	}
	return vectors
}

func indexOf(v []element, at int) int {
	return slices.IndexFunc(v, func(e element) bool { return e.at == at })
}

// valueAt returns an element that is there.
func valueAt(v []element, at int) float64 { return v[indexOf(v, at)].value }

// rowSums adds up the elements of a row.
type rowSums struct {
	values []float64
	used   []bool
	places []int // those used
}

func (s *rowSums) add(at int, value float64) {
	if !s.used[at] {
		s.used[at] = true
		s.places = append(s.places, at)
	}
	s.values[at] += value
}

// drain appends the row to a matrix, by ascending column, and begins the next.
func drain[C uint16 | uint32](s *rowSums, m *sparse[C]) {
	slices.Sort(s.places)
	for i, at := range s.places {
		if i%4 == 0 {
			m.values, m.columns = append(m.values, [4]float64{}), append(m.columns, [4]C{})
		}
		last := len(m.values) - 1
		m.values[last][i%4], m.columns[last][i%4] = s.values[at], C(at)
		s.values[at], s.used[at] = 0, false
	}
	s.places = s.places[:0]
	m.rows = append(m.rows, len(m.values))
}
