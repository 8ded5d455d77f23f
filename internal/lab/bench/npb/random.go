package npb

// The pseudo-random numbers of the specification (RNR-94-007 section 2.3): x[k+1] =
// a x[k] mod 2^46, and the number is x[k+1] / 2^46, in (0, 1). Products wrap at 2^64,
// a multiple of 2^46, so that the low 46 bits of an ordinary product are right.
const (
	multiplier = 1220703125 // 5^13
	mask46     = 1<<46 - 1
	unit       = 1.0 / (1 << 46)
)

// A sequence is a place in the pseudo-random sequence.
type sequence uint64

// next returns the next number.
func (s *sequence) next() float64 {
	*s = *s * multiplier & mask46
	return float64(int64(*s)) * unit
}

// skip goes n numbers ahead.
func (s *sequence) skip(n uint64) { *s = *s * sequence(power(multiplier, n)) & mask46 }

// power returns a to the n-th, mod 2^46.
func power(a, n uint64) uint64 {
	p := uint64(1)
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			p = p * a & mask46
		}
		a = a * a & mask46
	}
	return p
}

// fill sets dst to the next numbers.
func (s *sequence) fill(dst []float64) {
	x := uint64(*s)
	for i := range dst {
		x = x * multiplier & mask46
		dst[i] = float64(int64(x)) * unit
	}
	*s = sequence(x)
}

// steps are four numbers in a row. Each comes from the one four places before it, so
// that they do not wait for one another. Their bits above the 46th mean nothing.
type steps [4]uint64

func stepsFrom(seed sequence) (s steps) {
	x := uint64(seed)
	for i := range s {
		x *= multiplier
		s[i] = x
	}
	return s
}

// leap takes a number four places on.
var leap = power(multiplier, 4)
