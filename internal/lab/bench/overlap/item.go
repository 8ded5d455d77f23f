package overlap

import (
	"fmt"
	"time"
)

// EachProduct, as a number of tests, means to test after each product until the message
// is there, as the KACC paper does ("Evaluation"), instead of making a given number of
// products.
const EachProduct = -1

// An overlapItem is what a rank program measures: a message of so many bytes, with
// matrices of so many rows, so many tests, and so much computing per message.
type overlapItem struct {
	bytes, grain, tests int
	compute             time.Duration // 0: messages alone, unless EachProduct
}

func (i overlapItem) String() string {
	return fmt.Sprintf("%d:%d:%d:%d", i.bytes, i.grain, i.tests, i.compute.Nanoseconds())
}

// parseOverlapItem is the inverse of String.
func parseOverlapItem(s string) (i overlapItem, err error) {
	var ns int64
	n, err := fmt.Sscanf(s, "%d:%d:%d:%d", &i.bytes, &i.grain, &i.tests, &ns)
	if n != 4 || i.bytes < 1 || i.grain < 1 || i.tests < EachProduct || ns < 0 {
		return i, fmt.Errorf("bench: overlap: %q is not BYTES:GRAIN:TESTS:NANOSECONDS", s)
	}
	i.compute = time.Duration(ns)
	return i, err
}

// An overlapSample is what a rank program has found in a block of loops: averages over
// the ranks.
type overlapSample struct {
	pure     float64 // microseconds of a message with nothing else
	product  float64 // nanoseconds of a product with nothing else, while all ranks make products
	products float64 // of a rank per message
	elapsed  float64 // microseconds of a message with products
}

func (s overlapSample) String() string {
	return fmt.Sprintf("%.4f %.4f %.4f %.4f", s.pure, s.product, s.products, s.elapsed)
}

// parseOverlapSample is the inverse of String.
func parseOverlapSample(line string) (s overlapSample, err error) {
	_, err = fmt.Sscan(line, &s.pure, &s.product, &s.products, &s.elapsed)
	return s, err
}

// compute returns the microseconds that the products of a message take with nothing else.
func (s overlapSample) compute() float64 { return s.products * s.product / 1e3 }

// noncompute is the share of CPU time that was not spent computing, from 0 to 1.
func (s overlapSample) noncompute() float64 { return max(0, 1-s.compute()/s.elapsed) }

// osu is the overlap, in percent, by the formula of the OSU benchmarks: how much of the
// time of a message alone computing has hidden.
func (s overlapSample) osu() float64 { return max(0, 100*(1-(s.elapsed-s.compute())/s.pure)) }

// imb is the overlap, in percent, by the formula of the Intel MPI benchmarks (IMB-NBC):
// how much of the shorter of the two has been hidden.
func (s overlapSample) imb() float64 {
	return 100 * max(0, min(1, (s.pure+s.compute()-s.elapsed)/min(s.pure, s.compute())))
}
