package npb

import (
	"cmp"
	"slices"

	"github.com/gopvas/gopvas/mpi"
)

// mgCharges is the number of charges of each sign.
const mgCharges = 10

// A charge is a point, x changing fastest, and the pseudo-random number that it has
// been given.
type charge struct {
	value float64
	at    int
}

func (c charge) compare(o charge) int { return cmp.Compare(c.value, o.value) }

// setCharges makes v of the points that have the greatest pseudo-random numbers, which
// become 1, and those that have the least, which become -1.
func (m *multigrid) setCharges() error {
	mine := m.extremes()
	all := make([]charge, len(mine)*m.world.Size())
	if err := mpi.Allgather(m.world, mine, all); err != nil {
		return err
	}
	slices.SortFunc(all, charge.compare)
	for i := range mgCharges {
		m.set(all[i].at, -1)
		m.set(all[len(all)-1-i].at, 1)
	}
	return m.exchange(m.v)
}

// extremes returns, of the points of this rank, those that have the least and those
// that have the greatest numbers. Where there are too few it makes up for them with
// some that are neither.
func (m *multigrid) extremes() []charge {
	list := make([]charge, 2*mgCharges)
	for i := range list {
		list[i] = charge{value: 0.5}
	}
	n, corner := m.v.n, m.corner(m.top, m.place)
	numbers := make([]float64, n[xAxis])
	for z := range n[zAxis] {
		for y := range n[yAxis] {
			first := ((corner[zAxis]+z)<<m.top+corner[yAxis]+y)<<m.top + corner[xAxis]
			seed := sequence(314159265)
			seed.skip(uint64(first))
			seed.fill(numbers)
			for x, v := range numbers {
				if v >= list[mgCharges-1].value && v <= list[mgCharges].value {
					continue
				}
				// It takes the place of the least extreme of its kind.
				if v < list[mgCharges-1].value {
					list[mgCharges-1] = charge{v, first + x}
				} else {
					list[mgCharges] = charge{v, first + x}
				}
				slices.SortFunc(list, charge.compare)
			}
		}
	}
	return list
}

// set gives v a value at a point, if it is this rank's.
func (m *multigrid) set(at int, value float64) {
	mask := 1<<m.top - 1
	p := [3]int{at & mask, at >> m.top & mask, at >> (2 * m.top)}
	for axis, first := range m.corner(m.top, m.place) {
		p[axis] -= first
		if p[axis] < 0 || p[axis] >= m.v.n[axis] {
			return
		}
	}
	m.v.row(p[yAxis]+1, p[zAxis]+1)[p[xAxis]+1] = value
}
