package operator

const longSize = 16

// format is a floating-point number of 16 bytes that Go does not have.
type format struct {
	add, multiply func(inout, in *byte, n int) // n numbers
	compare       func(x, y []byte) int        // negative, 0 or positive as x is less than, equal to or greater than y
	noNumber      func(x []byte) bool
	last          int // the byte with the sign
}

// ofLongs has the operators on numbers of a format: one, a complex one, or a pair with an int.
func (f *format) ofLongs(element Element) (size int, all table) {
	switch element {
	case ComplexExtended, ComplexQuad:
		all[Sum], all[Prod] = onLongs(f.add), f.multiplyComplex
		return 2 * longSize, all
	case PairExtended:
		all[MinLoc], all[MaxLoc] = f.choose(2*longSize, -1), f.choose(2*longSize, 1)
		return 2 * longSize, all
	}
	all[Sum], all[Prod] = onLongs(f.add), onLongs(f.multiply)
	all[Min], all[Max] = f.choose(longSize, -1), f.choose(longSize, 1)
	return longSize, all
}

func onLongs(f func(inout, in *byte, n int)) func(inout, in []byte) {
	return func(inout, in []byte) {
		if n := len(inout) / longSize; n > 0 {
			f(&inout[0], &in[:len(inout)][0], n)
		}
	}
}

// multiplyComplex multiplies a+bi and c+di.
func (f *format) multiplyComplex(inout, in []byte) {
	const both = 2 * longSize
	var cd, dc, straight, crossed [both]byte
	for ; len(inout) >= both; inout, in = inout[both:], in[both:] {
		straight, crossed, cd = [both]byte(inout), [both]byte(inout), [both]byte(in)
		copy(dc[:], cd[longSize:])
		copy(dc[longSize:], cd[:longSize])
		f.multiply(&straight[0], &cd[0], 2) // ac, bd
		f.multiply(&crossed[0], &dc[0], 2)  // ad, bc
		straight[longSize+f.last] ^= 0x80   // -bd
		f.add(&straight[0], &straight[longSize], 1)
		f.add(&crossed[0], &crossed[longSize], 1)
		copy(inout, straight[:longSize])
		copy(inout[longSize:both], crossed[:longSize])
	}
}

// choose takes the smaller one of two numbers (sign -1) or the greater (sign 1), or
// one that is no number. Numbers of 32 bytes are pairs with an int, of which the lower one
// is taken where the values are equal.
func (f *format) choose(size, sign int) func(inout, in []byte) {
	return func(inout, in []byte) {
		for ; len(inout) >= size; inout, in = inout[size:], in[size:] {
			order := sign * f.compare(in, inout)
			if order == 0 && size > longSize {
				order = int(int32(word.Uint32(inout[longSize:]))) - int(int32(word.Uint32(in[longSize:])))
			}
			numbers := !f.noNumber(in) && !f.noNumber(inout)
			if numbers && order > 0 || size == longSize && f.noNumber(in) {
				copy(inout[:size], in)
			}
		}
	}
}

func sign(positive bool) int {
	if positive {
		return 1
	}
	return -1
}
