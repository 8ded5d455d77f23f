package datatype

import "math/bits"

// Signature identifies the sequence of basic elements of a type or a message, whatever
// their displacements. Equal sequences have equal signatures. Different sequences have
// different ones but for an accident of probability 2^-60.
type Signature struct {
	Hash     uint64
	Elements int64 // basic elements in the sequence
}

// signature is a polynomial in a fixed base modulo the prime 2^61-1, with one coefficient
// for each basic element. Sequences are joined with one multiplication, and repeated by
// squaring; nothing is listed.
type signature struct {
	hash  uint64
	power uint64 // base to the power of elements
	count int64  // elements; it is not larger than the size in bytes, which is checked
}

const (
	prime = 1<<61 - 1
	base  = 0x123456789abcdef // any number below the prime
)

// noElements is the signature of the empty sequence.
var noElements = signature{power: 1}

// oneElement is the signature of a basic element.
func oneElement(kind Kind, size int64) signature {
	z := uint64(kind)<<48 ^ uint64(size) + 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return signature{hash: (z^z>>31)%(prime-1) + 1, power: base, count: 1}
}

func (s signature) join(t signature) signature {
	return signature{
		hash:  (multiply(s.hash, t.power) + t.hash) % prime,
		power: multiply(s.power, t.power),
		count: s.count + t.count,
	}
}

func (s signature) repeat(n int64) signature {
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
