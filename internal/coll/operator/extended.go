package operator

import "encoding/binary"

const extendedSize = 16

// ofExtended has the operators on the long double of x86-64.
func ofExtended(element Element) (size int, all table) {
	switch {
	case !hasExtended:
	case element == Extended:
		all[Sum], all[Prod] = onExtended(addExtended), onExtended(multiplyExtended)
		all[Min], all[Max] = chooseExtended(extendedSize, -1), chooseExtended(extendedSize, 1)
		return extendedSize, all
	case element == ComplexExtended:
		all[Sum], all[Prod] = onExtended(addExtended), multiplyComplexExtended
		return 2 * extendedSize, all
	case element == PairExtended:
		all[MinLoc], all[MaxLoc] = chooseExtended(2*extendedSize, -1), chooseExtended(2*extendedSize, 1)
		return 2 * extendedSize, all
	}
	return 0, all
}

func onExtended(f func(inout, in *byte, n int)) func(inout, in []byte) {
	return func(inout, in []byte) {
		if n := len(inout) / extendedSize; n > 0 {
			f(&inout[0], &in[:len(inout)][0], n)
		}
	}
}

// multiplyComplexExtended multiplies a+bi and c+di.
func multiplyComplexExtended(inout, in []byte) {
	const both = 2 * extendedSize
	for ; len(inout) >= both; inout, in = inout[both:], in[both:] {
		ab, cd := [both]byte(inout), [both]byte(in)
		dc := [both]byte{}
		copy(dc[:], cd[extendedSize:])
		copy(dc[extendedSize:], cd[:extendedSize])
		straight, crossed := ab, ab
		multiplyExtended(&straight[0], &cd[0], 2) // ac, bd
		multiplyExtended(&crossed[0], &dc[0], 2)  // ad, bc
		straight[extendedSize+9] ^= 0x80          // -bd
		addExtended(&straight[0], &straight[extendedSize], 1)
		addExtended(&crossed[0], &crossed[extendedSize], 1)
		copy(inout, straight[:extendedSize])
		copy(inout[extendedSize:both], crossed[:extendedSize])
	}
}

// chooseExtended takes the smaller one of two numbers (sign -1) or the greater (sign 1), or
// one that is no number. Numbers of 32 bytes are pairs with an int, of which the lower one
// is taken where the values are equal.
func chooseExtended(size, sign int) func(inout, in []byte) {
	return func(inout, in []byte) {
		for ; len(inout) >= size; inout, in = inout[size:], in[size:] {
			order := sign * compareExtended(in, inout)
			if order == 0 && size > extendedSize {
				order = int(int32(word.Uint32(inout[extendedSize:]))) - int(int32(word.Uint32(in[extendedSize:])))
			}
			numbers := !noNumber(in) && !noNumber(inout)
			if numbers && order > 0 || size == extendedSize && noNumber(in) {
				copy(inout[:size], in)
			}
		}
	}
}

// parts are the sign with the exponent and the fraction.
func parts(x []byte) (head uint16, fraction uint64) {
	return binary.LittleEndian.Uint16(x[8:]), binary.LittleEndian.Uint64(x)
}

func noNumber(x []byte) bool {
	head, fraction := parts(x)
	return head&0x7fff == 0x7fff && fraction<<1 != 0
}

// compareExtended is negative, 0 or positive as x is less than, equal to or greater than y.
func compareExtended(x, y []byte) int {
	a, m := parts(x)
	b, n := parts(y)
	switch {
	case m == 0 && n == 0: // zeros of any sign
		return 0
	case a>>15 != b>>15:
		return sign(b>>15 != 0)
	case a == b && m == n:
		return 0
	}
	greater := a > b || a == b && m > n
	return sign(greater != (a>>15 != 0))
}

func sign(positive bool) int {
	if positive {
		return 1
	}
	return -1
}
