package npb

import (
	"math"
	"slices"
)

// A sparse matrix has for each row the elements that are not zero, four at a time; the
// last four of a row are filled up with zeros. A row ends where the next begins.
type sparse struct {
	rows  []int // where each begins in quads; and where the last ends
	quads []quad
}

type quad struct {
	values  [4]float64
	columns [4]uint32 // from that of the block's first
}

// times sets dst to the product of the matrix and a vector, the length of which is a
// power of two: that spares a check for each element.
func (m *sparse) times(dst, src []float64) {
	if len(src) == 0 {
		return
	}
	mask := uint(len(src) - 1)
	begin := 0
	for i, end := range m.rows[1:][:len(dst)] {
		var s0, s1, s2, s3 float64
		row := m.quads[begin:end]
		for k := range row {
			q := &row[k]
			s0 += q.values[0] * src[uint(q.columns[0])&mask]
			s1 += q.values[1] * src[uint(q.columns[1])&mask]
			s2 += q.values[2] * src[uint(q.columns[2])&mask]
			s3 += q.values[3] * src[uint(q.columns[3])&mask]
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
func (p cgProblem) block(rows, columns span) sparse {
	const condition = 0.1
	vectors := p.vectors()
	weight, ratio := make([]float64, p.n), math.Pow(condition, 1/float64(p.n))
	in := make([][]int32, rows.len()) // by row: the vectors that have an element there
	for i, w := 0, 1.0; i < p.n; i, w = i+1, w*ratio {
		weight[i] = w
		for _, e := range vectors[i] {
			if e.at >= rows.first && e.at < rows.end {
				in[e.at-rows.first] = append(in[e.at-rows.first], int32(i))
			}
		}
	}
	m := sparse{rows: make([]int, 1, rows.len()+1)}
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
			sums.add(d-columns.first, condition-p.shift)
		}
		m.quads = sums.drain(m.quads)
		m.rows = append(m.rows, len(m.quads))
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

// drain appends the row to quads, by ascending column, and begins the next.
func (s *rowSums) drain(quads []quad) []quad {
	slices.Sort(s.places)
	for i, at := range s.places {
		if i%4 == 0 {
			quads = append(quads, quad{})
		}
		q := &quads[len(quads)-1]
		q.values[i%4], q.columns[i%4] = s.values[at], uint32(at)
		s.values[at], s.used[at] = 0, false
	}
	s.places = s.places[:0]
	return quads
}
