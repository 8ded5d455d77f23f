package operator

import "math/big"

// quad is a number of IEEE 754's binary128: a sign, 15 bits of exponent, and a fraction of 112 bits. It is Fortran's
// REAL(16), and the long double of processors other than x86-64.
type quad struct{ low, high uint64 }

const (
	quadBits     = 113          // of a fraction, with the first one, which is not stored
	quadLeast    = -16494       // the least number is 2 to the power of this
	quadSign     = 1 << 63      // in high
	quadExponent = 0x7fff << 48 // in high
	quadNone     = quadExponent | 1<<47
)

// quadFormat computes by math/big, which rounds as IEEE 754 says.
var quadFormat = &format{addQuads, multiplyQuads, compareQuads, noQuad, 15}

func addQuads(inout, in *byte, n int)      { eachQuad(inout, in, n, (*quads).add) }
func multiplyQuads(inout, in *byte, n int) { eachQuad(inout, in, n, (*quads).multiply) }

func eachQuad(inout, in *byte, n int, combine func(c *quads, x, y quad) quad) {
	var c quads
	a, b := viewAt[quad](inout, n), viewAt[quad](in, n)
	for i := range a {
		a[i] = combine(&c, a[i], b[i])
	}
}

// quads computes. Its memory serves all elements of a call.
type quads struct {
	x, y, z big.Float
	whole   big.Int
	words   [2]big.Word
}

func (q quad) none() bool     { return q.high&^quadSign > quadExponent || q.infinite() && q.low != 0 }
func (q quad) infinite() bool { return q.high&^quadSign == quadExponent }
func (q quad) zero() bool     { return q.high&^quadSign|q.low == 0 }

func (c *quads) add(x, y quad) quad {
	switch {
	case x.none() || y.none():
		return noneOf(x, y)
	case x.infinite() && y.infinite() && x.high != y.high:
		return quad{high: quadNone}
	}
	c.load(&c.x, x)
	c.load(&c.y, y)
	// A sum that is less than the least number with a whole fraction is exact.
	return c.store(c.z.SetPrec(quadBits).Add(&c.x, &c.y))
}

func (c *quads) multiply(x, y quad) quad {
	switch {
	case x.none() || y.none():
		return noneOf(x, y)
	case x.infinite() && y.zero(), x.zero() && y.infinite():
		return quad{high: quadNone}
	}
	c.load(&c.x, x)
	c.load(&c.y, y)
	return c.store(c.z.SetPrec(2*quadBits).Mul(&c.x, &c.y)) // exact, so it is rounded once
}

// noneOf is the one of two that is no number, and makes it a quiet one.
func noneOf(x, y quad) quad {
	if !x.none() {
		x = y
	}
	x.high |= quadNone
	return x
}

// load sets z to a number.
func (c *quads) load(z *big.Float, q quad) {
	exponent, fraction := int(q.high&quadExponent>>48), q.high&(1<<48-1)
	if q.infinite() {
		z.SetInf(q.high&quadSign != 0)
		return
	}
	if exponent == 0 {
		exponent = 1
	} else {
		fraction |= 1 << 48
	}
	c.words = [2]big.Word{big.Word(q.low), big.Word(fraction)}
	z.SetPrec(quadBits).SetInt(c.whole.SetBits(c.words[:]))
	z.SetMantExp(z, quadLeast+exponent-1)
	if q.high&quadSign != 0 {
		z.Neg(z)
	}
}

// store rounds z to a number. What it adds to the exponent, a carry or the first bit of the fraction adds to it, too.
func (c *quads) store(z *big.Float) quad {
	q := quad{}
	if z.Signbit() {
		q.high = quadSign
	}
	exponent := z.MantExp(nil)
	unit := max(exponent-quadBits, quadLeast) // of the last bit
	switch kept := exponent - unit; {
	case z.IsInf() || exponent > 1<<14:
		q.high |= quadExponent
		return q
	case z.Sign() == 0 || kept < 0:
		return q
	case kept == 0: // a half of the least number, or more
		if z.MinPrec() > 1 {
			q.low = 1
		}
		return q
	default:
		z.SetPrec(uint(kept))
	}
	z.SetMantExp(z, -unit).Int(&c.whole)
	all := c.whole.Bits()
	q.low = uint64(all[0])
	if len(all) > 1 {
		q.high |= uint64(all[1])
	}
	q.high += uint64(unit-quadLeast) << 48
	if q.infinite() {
		q.low = 0
	}
	return q
}

func noQuad(x []byte) bool { return quadAt(x).none() }

func quadAt(x []byte) quad { return quad{word.Uint64(x), word.Uint64(x[8:])} }

func compareQuads(x, y []byte) int {
	a, b := quadAt(x), quadAt(y)
	switch {
	case a == b || a.zero() && b.zero():
		return 0
	case a.high&quadSign != b.high&quadSign:
		return sign(b.high&quadSign != 0)
	}
	greater := a.high > b.high || a.high == b.high && a.low > b.low
	return sign(greater != (a.high&quadSign != 0))
}
