package datatype

import "math"

// exact does arithmetic on counts, sizes and displacements, and remembers whether a result
// did not fit into 64 bits. One check at the end of a computation is enough.
type exact struct{ overflow bool }

func (x *exact) add(a, b int64) int64 {
	c := a + b
	if (a^c)&(b^c) < 0 {
		x.overflow = true
	}
	return c
}

func (x *exact) sub(a, b int64) int64 {
	c := a - b
	if (a^b)&(a^c) < 0 {
		x.overflow = true
	}
	return c
}

func (x *exact) mul(a, b int64) int64 {
	if a == 0 || b == 0 {
		return 0
	}
	c := a * b
	if c/b != a || a == -1 && b == math.MinInt64 || b == -1 && a == math.MinInt64 {
		x.overflow = true
	}
	return c
}
