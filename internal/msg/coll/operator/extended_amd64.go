package operator

import "encoding/binary"

// longDouble is C's long double: an extended number of 80 bits, in the first 10 bytes.
var longDouble = &format{addExtended, multiplyExtended, compareExtended, noExtended, 9}

// addExtended adds n numbers.
//
//go:noescape
func addExtended(inout, in *byte, n int)

// multiplyExtended multiplies n numbers.
//
//go:noescape
func multiplyExtended(inout, in *byte, n int)

// parts are the sign with the exponent and the fraction of an extended number.
func parts(x []byte) (head uint16, fraction uint64) {
	return binary.LittleEndian.Uint16(x[8:]), binary.LittleEndian.Uint64(x)
}

func noExtended(x []byte) bool {
	head, fraction := parts(x)
	return head&0x7fff == 0x7fff && fraction<<1 != 0
}

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
