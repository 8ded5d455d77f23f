package npb

import "math/cmplx"

// An fft is a discrete Fourier transform of a power of two of at least 16 numbers, in
// one direction and without a factor. It is Stockham's: each stage of radix 4 reads
// four numbers (of each column) and writes four, from one place to another, and what
// comes out is in order. Whether a place has one number or a row of them, one for each
// of several columns that are transformed together, makes no difference to a stage.
type fft struct {
	n       int
	stages  [][]roots // without the last, which has none
	radix2  bool      // the last stage
	a, b    int       // where the outputs that differ by the direction go: 1 and 3, or 3 and 1
	scratch [2][]complex128
}

// roots are the factors of three outputs of a butterfly; that of the first is 1.
type roots struct{ a, mid, b complex128 }

// fftWidth is the most columns that are transformed together: rows of two cache lines.
const fftWidth = 8

// newFFT makes a transform with exp(-2 pi i / n), or with its inverse.
func newFFT(n int, inverse bool) *fft {
	f := &fft{n: n, a: 1, b: 3,
		scratch: [2][]complex128{make([]complex128, n*fftWidth), make([]complex128, n*fftWidth)}}
	sign := -1.0
	if inverse {
		sign, f.a, f.b = 1, 3, 1
	}
	for n > 4 {
		stage := make([]roots, n/4)
		for p := range stage {
			w := func(j int) complex128 { return root(sign*float64(p*j), n) }
			stage[p] = roots{w(f.a), w(2), w(f.b)}
		}
		f.stages = append(f.stages, stage)
		n /= 4
	}
	f.radix2 = n == 2
	return f
}

// root returns exp(2 pi i k / n).
func root(k float64, n int) complex128 {
	const twoPi = 6.283185307179586
	return cmplx.Rect(1, twoPi*k/float64(n))
}

// line transforms n numbers that lie close. dst may be src.
func (f *fft) line(dst, src []complex128) {
	from, to := f.scratch[0], f.scratch[1]
	f.first(from, src, f.stages[0])
	width := 4
	for _, stage := range f.stages[1:] {
		f.stage(to, from, stage, width, width)
		from, to = to, from
		width *= 4
	}
	f.last(dst, from, 1, width, width)
}

// columns transforms as many columns of n numbers as width says, at most fftWidth: row
// i of them begins at src[i*srcStep], and goes to dst[i*dstStep]. dst may be src, with
// the same step.
func (f *fft) columns(dst []complex128, dstStep int, src []complex128, srcStep, width int) {
	from, to := f.scratch[0], f.scratch[1]
	f.stage(from, src, f.stages[0], srcStep, width)
	row := 4 * width
	for _, stage := range f.stages[1:] {
		f.stage(to, from, stage, row, row)
		from, to = to, from
		row *= 4
	}
	f.last(dst, from, row/width, width, dstStep)
}

// stage does butterflies of rows: as many for each of four quarters as there are roots.
// Rows of src begin step apart, those of dst lie close.
func (f *fft) stage(dst, src []complex128, stage []roots, step, width int) {
	quarter := step * len(stage)
	for p, r := range stage {
		x0 := src[p*step:][:width]
		x1 := src[p*step+quarter:][:len(x0)]
		x2 := src[p*step+2*quarter:][:len(x0)]
		x3 := src[p*step+3*quarter:][:len(x0)]
		out := dst[4*p*width:][:4*width]
		y0 := out[:len(x0)]
		ya := out[f.a*width:][:len(x0)]
		y2 := out[2*width:][:len(x0)]
		yb := out[f.b*width:][:len(x0)]
		for q := range x0 {
			e, g := x0[q]+x2[q], x1[q]+x3[q]
			y0[q], y2[q] = e+g, (e-g)*r.mid
			e, g = x0[q]-x2[q], x1[q]-x3[q]
			g = complex(imag(g), -real(g))
			ya[q], yb[q] = (e+g)*r.a, (e-g)*r.b
		}
	}
}

// first is stage for a row of one number.
func (f *fft) first(dst, src []complex128, stage []roots) {
	m := len(stage)
	x0, x1, x2, x3 := src[:m], src[m:2*m], src[2*m:3*m], src[3*m:4*m]
	a, b := uint(f.a), uint(f.b)
	for p, r := range stage {
		if len(dst) < 4 {
			return
		}
		y := (*[4]complex128)(dst)
		dst = dst[4:]
		e, g := x0[p]+x2[p], x1[p]+x3[p]
		y[0], y[2] = e+g, (e-g)*r.mid
		e, g = x0[p]-x2[p], x1[p]-x3[p]
		g = complex(imag(g), -real(g))
		y[a%4], y[b%4] = (e+g)*r.a, (e-g)*r.b
	}
}

// last does the last stage, which has no roots: of rows that lie close in src to rows
// that begin step apart in dst. So many rows are in a fourth (or half) of src.
func (f *fft) last(dst, src []complex128, rows, width, step int) {
	if f.radix2 {
		f.last2(dst, src, rows, width, step)
		return
	}
	for r := range rows {
		x0 := src[r*width:][:width]
		x1 := src[(r+rows)*width:][:len(x0)]
		x2 := src[(r+2*rows)*width:][:len(x0)]
		x3 := src[(r+3*rows)*width:][:len(x0)]
		y0 := dst[r*step:][:len(x0)]
		ya := dst[(r+f.a*rows)*step:][:len(x0)]
		y2 := dst[(r+2*rows)*step:][:len(x0)]
		yb := dst[(r+f.b*rows)*step:][:len(x0)]
		for q := range x0 {
			e, g := x0[q]+x2[q], x1[q]+x3[q]
			y0[q], y2[q] = e+g, e-g
			e, g = x0[q]-x2[q], x1[q]-x3[q]
			g = complex(imag(g), -real(g))
			ya[q], yb[q] = e+g, e-g
		}
	}
}

func (f *fft) last2(dst, src []complex128, rows, width, step int) {
	for r := range rows {
		x0 := src[r*width:][:width]
		x1 := src[(r+rows)*width:][:len(x0)]
		y0 := dst[r*step:][:len(x0)]
		y1 := dst[(r+rows)*step:][:len(x0)]
		for q := range x0 {
			y0[q], y1[q] = x0[q]+x1[q], x0[q]-x1[q]
		}
	}
}
