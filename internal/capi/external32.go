package capi

import (
	"encoding/binary"
	"runtime"
	"slices"

	"github.com/gopvas/gopvas/datatype"
)

// The representation external32 of section 14.5.2 of MPI 5.0: big-endian, with sizes of its
// own for a few types.

// externalOf is the size of a basic type in external32.
func externalOf(basic *datatype.Type) int {
	b := traitsOf(basic).basic
	if b.external != 0 {
		return b.external
	}
	return b.size
}

// externalSize is the size of one element of a type.
func externalSize(t *datatype.Type) int {
	n := 0
	t.Basics(func(count int64, basic *datatype.Type) bool {
		n += int(count) * externalOf(basic)
		return true
	})
	return n
}

// convert applies a conversion to each basic element of count elements of a type. external
// is in external32.
func convert(t *datatype.Type, count int, native, external []byte,
	one func(b *basicType, native, external []byte) error) (err error) {
	for range count {
		t.Basics(func(n int64, basic *datatype.Type) bool {
			b, size, foreign := traitsOf(basic).basic, int(basic.Size()), externalOf(basic)
			if b.kind == datatype.KindComplex { // two numbers
				n, size, foreign = 2*n, size/2, foreign/2
			}
			for range n {
				if err = one(b, native[:size], external[:foreign]); err != nil {
					return false
				}
				native, external = native[size:], external[foreign:]
			}
			return true
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// toExternal converts a number. An integer that does not fit is an error.
func toExternal(b *basicType, native, external []byte) error {
	if b.extended() {
		quadOf(native, external)
		return nil
	}
	low := native[:len(external)] // of a little-endian number
	if slices.ContainsFunc(native[len(external):], func(v byte) bool { return v != b.extension(low) }) {
		return fail(ERR_CONVERSION, "an element of type %s does not fit into the %d bytes that external32 has for it",
			b.name, len(external))
	}
	copy(external, low)
	slices.Reverse(external)
	return nil
}

// toNative converts a number back.
func toNative(b *basicType, native, external []byte) error {
	if b.extended() {
		extendedOf(native, external)
		return nil
	}
	low := native[:copy(native, external)]
	slices.Reverse(low)
	for i := len(low); i < len(native); i++ {
		native[i] = b.extension(low)
	}
	return nil
}

// extension is what the upper bytes of a longer number are.
func (b *basicType) extension(low []byte) byte {
	if b.kind == datatype.KindInteger && low[len(low)-1]&0x80 != 0 {
		return 0xff
	}
	return 0
}

// extended tells whether the type is the long double of x86-64. Its bytes 8 and 9 are the sign
// and 15 bits of exponent. Below them is a fraction of 64 bits, of which the first is
// explicit. A quad of IEEE 754, as in external32, has the same sign and exponent, and a
// fraction of 112 bits without its first bit.
func (b *basicType) extended() bool {
	switch b.handle {
	case LONG_DOUBLE, C_LONG_DOUBLE_COMPLEX, CXX_LONG_DOUBLE_COMPLEX:
		return runtime.GOARCH == "amd64"
	}
	return false
}

const explicitBit = 1 << 63

// quadOf converts an extended number, all of which fits into a quad.
func quadOf(native, external []byte) {
	fraction := binary.LittleEndian.Uint64(native) &^ explicitBit
	binary.BigEndian.PutUint64(external, uint64(binary.LittleEndian.Uint16(native[8:]))<<48|fraction>>15)
	binary.BigEndian.PutUint64(external[8:], fraction<<49)
}

// extendedOf converts a quad to the nearest extended number.
func extendedOf(native, external []byte) {
	upper, lower := binary.BigEndian.Uint64(external), binary.BigEndian.Uint64(external[8:])
	head := uint16(upper >> 48)
	fraction, rest := upper<<16>>1|lower>>49, lower&(1<<49-1)
	switch exponent := head & 0x7fff; {
	case exponent == 0x7fff: // infinite, or no number, which must stay none
		if fraction == 0 && rest != 0 {
			fraction = 1 << 62
		}
		fraction |= explicitBit
	default:
		const half = 1 << 48
		if rest > half || rest == half && fraction&1 != 0 {
			fraction++
		}
		if fraction == explicitBit { // rounded up to the next exponent
			head++
		} else if exponent != 0 {
			fraction |= explicitBit
		}
	}
	clear(native)
	binary.LittleEndian.PutUint64(native, fraction)
	binary.LittleEndian.PutUint16(native[8:], head)
}
