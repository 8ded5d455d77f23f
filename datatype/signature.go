package datatype

import "math/bits"

// Signature identifies the sequence of basic elements of a type or a message, whatever
// their displacements. Equal sequences have equal signatures. Different sequences have
// different ones but for an accident of probability 2^-60.
type Signature struct {
	Hash     uint64
	Elements int64 // basic elements in the sequence
}

// signature is a sequence several times. Sequences that repeat the same one stay short sums: what a constructor makes
// of equal elements costs no multiplication. So a sequence of equal elements always has one of them in each round.
type signature struct {
	round sequence
	times int64
}

// sequence is a polynomial in a fixed base modulo the prime 2^61-1, with one coefficient
// for each basic element. Sequences are joined with one multiplication, and repeated by
// squaring; nothing is listed.
type sequence struct {
	hash  uint64
	power uint64 // base to the power of elements
	count int64  // elements; it is not larger than the size in bytes, which is checked
}

const (
	prime = 1<<61 - 1
	base  = 0x123456789abcdef // any number below the prime
)

// noElements is the empty sequence.
var noElements = sequence{power: 1}

// oneElement is the signature of a basic element.
func oneElement(kind Kind, size int64) signature {
	z := uint64(kind)<<48 ^ uint64(size) + 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return signature{round: sequence{hash: (z^z>>31)%(prime-1) + 1, power: base, count: 1}, times: 1}
}

func (s signature) join(t signature) signature {
	switch {
	case s.times == 0:
		return t
	case t.times == 0:
		return s
	case s.round == t.round:
		s.times += t.times
		return s
	}
	return signature{round: s.expand().join(t.expand()), times: 1}
}

func (s signature) repeat(n int64) signature {
	s.times *= n
	return s
}

// count is how many elements there are.
func (s signature) count() int64 { return s.times * s.round.count }

// expand is the whole sequence.
func (s signature) expand() sequence {
	if s.times == 1 {
		return s.round
	}
	return s.round.repeat(s.times)
}

// repeats tells whether the elements are those of t, any number of times.
func (s signature) repeats(t signature) bool {
	switch n := t.count(); {
	case s.times == 0:
		return true
	case n == 0 || s.count()%n != 0:
		return false
	case s.round == t.round:
		return true
	case t.round.count == 1:
		return false
	default:
		return s.expand() == t.repeat(s.count()/n).expand()
	}
}

func (s sequence) join(t sequence) sequence {
	return sequence{
		hash:  (multiply(s.hash, t.power) + t.hash) % prime,
		power: multiply(s.power, t.power),
		count: s.count + t.count,
	}
}

func (s sequence) repeat(n int64) sequence {
	all := noElements
	for ; n > 1; n >>= 1 {
		if n&1 != 0 {
			all = s.join(all)
		}
		s = s.join(s)
	}
	if n == 1 {
		all = s.join(all)
	}
	return all
}

// multiply modulo the prime: 2^61 is 1, so the upper bits are added to the lower ones.
func multiply(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	sum := hi<<3 | lo>>61
	sum += lo & prime
	return sum % prime
}
