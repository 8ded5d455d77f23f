package npb

import "math"

// Logarithms by table, as in Tang, "Table-Driven Implementation of the Logarithm
// Function in IEEE Floating-Point Arithmetic" (ACM TOMS 16, 1990): x is 2^k c (1+r)
// with one of 128 numbers c, so that log x is k log 2 + log c + log(1+r), and r is so
// small that a short polynomial does. The mantissa is taken from [0.6875, 1.375), so
// that k and log c are zero around 1, where the sum would lose digits.
const (
	logBits  = 7
	logStart = 0x3fe6000000000000 // the bits of 0.6875
)

// A logEntry is one c: its reciprocal and its logarithm.
type logEntry struct{ c, inverse, log float64 }

var logTable = func() (table [1 << logBits]logEntry) {
	for i := range table {
		// The middle of the interval; 1 itself around 1.
		c := math.Float64frombits(logStart + uint64(2*i+1)<<(51-logBits))
		if math.Abs(c-1) < 1.0/(1<<logBits) {
			c = 1
		}
		table[i] = logEntry{c, 1 / c, math.Log(c)}
	}
	return table
}()

// logarithms sets dst to the natural logarithms of src, which are positive, normal and
// finite. They are off by two units in the last place at most. The slices are equally
// long.
func logarithms(dst, src []float64) {
	dst = dst[:len(src)]
	for i, x := range src {
		bits := math.Float64bits(x)
		offset := bits - logStart
		exponent := int64(offset) >> 52
		e := &logTable[offset>>(52-logBits)%(1<<logBits)]
		m := math.Float64frombits(bits - uint64(exponent)<<52)
		r := (m - e.c) * e.inverse
		q := r * r
		p := (1.0/3 - r*(1.0/4)) + q*((1.0/5-r*(1.0/6))+q*(1.0/7))
		dst[i] = float64(exponent)*math.Ln2 + e.log + (r + q*(r*p-0.5))
	}
}
