package comm

import (
	"errors"
	"fmt"
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
	found := factors(rest, open, rest, divisors(rest))
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

// factors returns k divisors whose product is n, none of them greater than limit and
// none greater than the one before it: of all such lists the one whose first is the
// smallest, of these the one whose second is, and so on. It returns nil if there is
// none; if limit is n there is one.
func factors(n, k, limit int, divisors []int) []int {
	if k == 1 {
		if n > limit {
			return nil
		}
		return []int{n}
	}
	for _, first := range divisors {
		if first > limit {
			break
		}
		if n%first == 0 {
			if rest := factors(n/first, k-1, first, divisors); rest != nil {
				return append([]int{first}, rest...)
			}
		}
	}
	return nil
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
