package operator

// Operators on four vectors at once: out = (a op b) op (c op d). They spare the loads and stores of what is between.

// four is one of them.
type four func(out, a, b, c, d []byte)

// fours returns the operator on four vectors; nil: there is none, as it would not be faster, or is seldom used.
func fours(code Code, element Element) four {
	switch {
	case code == Sum && (element == Float32 || element == Complex64):
		return fourBy(addFour32, sumFour[float32])
	case code == Sum && (element == Float64 || element == Complex128):
		return fourBy(addFour64, sumFour[float64])
	case code == Prod && element == Float32:
		return fourBy(multiplyFour32, productFour[float32])
	case code == Prod && element == Float64:
		return fourBy(multiplyFour64, productFour[float64])
	}
	return nil
}

func sumFour[T float32 | float64](to, a, b, c, d []byte) {
	out, x := views[T](to, a)
	_, y := views[T](to, b)
	_, z := views[T](to, c)
	_, w := views[T](to, d)
	for i := range out {
		out[i] = (x[i] + y[i]) + (z[i] + w[i])
	}
}

func productFour[T float32 | float64](to, a, b, c, d []byte) {
	out, x := views[T](to, a)
	_, y := views[T](to, b)
	_, z := views[T](to, c)
	_, w := views[T](to, d)
	for i := range out {
		out[i] = (x[i] * y[i]) * (z[i] * w[i])
	}
}
