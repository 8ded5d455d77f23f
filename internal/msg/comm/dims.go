package comm

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// DimsCreate divides a number of ranks into the dimensions of a grid: it replaces the zeros in
// dims so that the product of all is nodes. MPI 4.1 section 8.5.2 (MPI_Dims_create).
func DimsCreate(nodes int, dims []int) error {
	const op = "create dimensions"
	if nodes < 1 {
		return Wrap(op, fmt.Errorf("%d ranks: pass 1 or more", nodes))
	}
	rest, open := nodes, 0
	for i, d := range dims {
		switch {
		case d < 0:
			return Wrap(op, fmt.Errorf("dimension %d is %d: pass a length, or 0 for one to be found", i, d))
		case d == 0:
			open++
		case rest%d != 0:
			return Wrap(op, fmt.Errorf("the lengths %v do not divide %d ranks", dims, nodes))
		default:
			rest /= d
		}
	}
	if open == 0 {
		if rest != 1 {
			return Wrap(op, fmt.Errorf("%d ranks do not fill dimensions %v: leave one 0", nodes, dims))
		}
		return nil
	}
	found := closest(rest, open)
	for i := range dims {
		if dims[i] == 0 {
			dims[i], found = found[0], found[1:]
		}
	}
	return nil
}

// divisors returns the divisors of n in ascending order.
func divisors(n int) []int {
	var small, large []int
	for d := 1; d <= n/d; d++ {
		if n%d == 0 {
			small = append(small, d)
			if d != n/d {
				large = append(large, n/d)
			}
		}
	}
	slices.Reverse(large)
	return append(small, large...)
}

// closeness is the search for lengths as close to each other as possible. The longest and the
// shortest differ by as little as they can. Of several such lists it takes those with the
// greatest shortest length, of these those with the smallest sum, and of these the
// lexicographically greatest. Lists are in descending order.
type closeness struct {
	divisors   []int // of the number of ranks, ascending
	list, best []int
}

// closest divides n into k lengths.
func closest(n, k int) []int {
	c := closeness{divisors: divisors(n)}
	c.extend(n, k, n)
	return c.best
}

// extend tries all continuations of the list by k lengths up to limit whose product is rest.
func (c *closeness) extend(rest, k, limit int) {
	if k == 0 {
		c.take()
		return
	}
	for _, d := range c.divisors {
		if d > limit {
			return
		}
		if rest%d != 0 || power(d, k, rest) < rest || c.worse(d, rest/d, k-1) {
			continue
		}
		c.list = append(c.list, d)
		c.extend(rest/d, k-1, d)
		c.list = c.list[:len(c.list)-1]
	}
}

// worse tells whether d and k more lengths with the product rest differ by more than the best
// list does: then the shortest would have to be longer than it can be.
func (c *closeness) worse(d, rest, k int) bool {
	if c.best == nil {
		return false
	}
	longest := d
	if len(c.list) > 0 {
		longest = c.list[0]
	}
	return power(max(longest-spread(c.best), 0), k, rest) > rest
}

// take keeps the list if it is better than the best.
func (c *closeness) take() {
	if c.best == nil || cmp.Or(spread(c.list)-spread(c.best), c.best[0]-c.list[0], sum(c.list)-sum(c.best),
		slices.Compare(c.best, c.list)) < 0 {
		c.best = slices.Clone(c.list)
	}
}

// spread is by how much the longest and the shortest of a list differ.
func spread(list []int) int { return list[0] - list[len(list)-1] }

func sum(list []int) (n int) {
	for _, d := range list {
		n += d
	}
	return n
}

// power is d to the power of k, or MaxInt if that is above limit.
func power(d, k, limit int) int {
	p := 1
	for range k {
		if d > 0 && p > limit/d {
			return math.MaxInt
		}
		p *= d
	}
	return p
}

// checkGrid returns an error if no grid of these dimensions fits into the ranks.
func checkGrid(dims []int, periods []bool, ranks int) error {
	if len(dims) != len(periods) {
		return fmt.Errorf("%d dimensions, but %d tell whether they are periodic", len(dims), len(periods))
	}
	cells := 1
	for i, d := range dims {
		if d < 1 {
			return fmt.Errorf("dimension %d is %d: pass 1 or more; DimsCreate finds lengths", i, d)
		}
		// Divided, as the product may be too large for an int.
		if d > ranks/cells {
			return fmt.Errorf("a grid of %v has more cells than the %d ranks", dims, ranks)
		}
		cells *= d
	}
	return nil
}

// ErrNoCell means that coordinates are outside of a grid.
var ErrNoCell = errors.New("no such place on the grid")
