package bench

import (
	"slices"
	"strings"
)

// Memory is about how many bytes the buffers of a job take at its longest message. It is no whole number:
// lengths that nobody could have are no overflow.
func (c *TimedConfig) Memory() float64 {
	n, ranks := float64(slices.Max(c.Sizes)), float64(c.Ranks)
	_, message := patterns[c.Benchmark]
	switch {
	case strings.HasSuffix(c.Benchmark, "barrier"):
		return 0
	case message:
		return 2 * n * ranks
	case isLayout(c.Benchmark): // no longer than MostLayout
		return n * ranks
	}
	return 4 * n * max(2, ranks) * ranks * float64(max(c.Goroutines, 1))
}

// Memory is about how many bytes the buffers of the largest job take.
func (c *FootprintConfig) Memory() float64 {
	ranks := float64(slices.Max(c.Ranks))
	return 2 * float64(slices.Max(c.Sizes)) * ranks * ranks
}

// Memory is about how many bytes the shared memory of the largest job takes.
func (c *TouchConfig) Memory() float64 { return float64(c.Bytes) * float64(slices.Max(c.Ranks)) }

// Memory is about how many bytes the buffers of the largest job take.
func (c *OverlapConfig) Memory() float64 {
	return float64(slices.Max(c.Sizes)) * float64(slices.Max(c.Ranks))
}

// Memory is about how many bytes the buffers of all ranks take at the longest message. The neighbors are
// those of Counts.
func (c *ExchangeConfig) Memory() float64 {
	counts, err := c.Counts(slices.Max(c.Sizes))
	if err != nil {
		return 0
	}
	sum := 0.0
	for _, n := range counts {
		sum += float64(n)
	}
	return 3 * sum * float64(c.Ranks)
}
