package operator

import "math/bits"

// wide is an integer of 16 bytes.
type wide struct {
	low  uint64
	high int64
}

func ofWide() (size int, all table) {
	all[Sum], all[Prod] = onWide(wide.plus), onWide(wide.times)
	all[Min] = onWide(func(a, b wide) wide { return smaller(a, b, b.less(a)) })
	all[Max] = onWide(func(a, b wide) wide { return smaller(a, b, a.less(b)) })
	all[LAnd] = onWide(func(a, b wide) wide { return wideTruth(a != wide{} && b != wide{}) })
	all[LOr] = onWide(func(a, b wide) wide { return wideTruth(a != wide{} || b != wide{}) })
	all[LXor] = onWide(func(a, b wide) wide { return wideTruth((a != wide{}) != (b != wide{})) })
	all[BAnd], all[BOr], all[BXor] = andBytes, orBytes, xorBytes
	return 16, all
}

func onWide(f func(a, b wide) wide) func(inout, in []byte) {
	return func(to, from []byte) {
		inout, in := views[wide](to, from)
		for i := range inout {
			inout[i] = f(inout[i], in[i])
		}
	}
}

func (a wide) plus(b wide) wide {
	low, carry := bits.Add64(a.low, b.low, 0)
	return wide{low, a.high + b.high + int64(carry)}
}

func (a wide) times(b wide) wide {
	high, low := bits.Mul64(a.low, b.low)
	return wide{low, int64(high) + int64(a.low)*b.high + a.high*int64(b.low)}
}

func (a wide) less(b wide) bool { return a.high < b.high || a.high == b.high && a.low < b.low }

// smaller is b if that is to be taken, else a.
func smaller(a, b wide, second bool) wide {
	if second {
		return b
	}
	return a
}

func wideTruth(b bool) wide {
	if b {
		return wide{low: 1}
	}
	return wide{}
}
