package npb

import (
	"fmt"
	"math/cmplx"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// dft is the definition.
func dft(x []complex128, sign float64) []complex128 {
	n := len(x)
	y := make([]complex128, n)
	for k := range y {
		for j, v := range x {
			y[k] += v * root(sign*float64(j*k%n), n)
		}
	}
	return y
}

func noise(n int) []complex128 {
	s := sequence(314159265)
	x := make([]complex128, n)
	for i := range x {
		x[i] = complex(s.next()-.5, s.next()-.5)
	}
	return x
}

func requireClose(t *testing.T, want, got []complex128) {
	t.Helper()
	for i := range want {
		require.Less(t, cmplx.Abs(want[i]-got[i]), 1e-12*float64(len(want)),
			"element %d: %v and %v", i, want[i], got[i])
	}
}

func TestFFT(t *testing.T) {
	for n := 16; n <= 512; n *= 2 {
		for _, inverse := range []bool{false, true} {
			sign := -1.0
			if inverse {
				sign = 1
			}
			f, x := newFFT(n, inverse), noise(n)
			want := dft(x, sign)
			got := make([]complex128, n)
			f.line(got, x)
			requireClose(t, want, got)
			f.line(x, x)
			requireClose(t, want, x)
		}
	}
}

func TestFFTColumns(t *testing.T) {
	const from, to = 11, 13 // steps
	for n := 16; n <= 512; n *= 2 {
		for _, width := range []int{1, 5, fftWidth} {
			f, src := newFFT(n, true), noise(n*from)
			dst := noise(n * to)
			before := slices.Clone(dst)
			f.columns(dst, to, src, from, width)
			for c := range to {
				column := make([]complex128, n)
				result := make([]complex128, n)
				for i := range n {
					column[i], result[i] = src[min(i*from+c, len(src)-1)], dst[i*to+c]
				}
				if c < width {
					requireClose(t, dft(column, 1), result)
					continue
				}
				for i := range n {
					require.Equal(t, before[i*to+c], dst[i*to+c], "a column beside was written to")
				}
			}
			again := slices.Clone(src)
			f.columns(again, from, again, from, width)
			for i := range n {
				requireClose(t, dst[i*to:][:width], again[i*from:][:width])
			}
		}
	}
}

func BenchmarkFFT(b *testing.B) {
	for _, n := range []int{128, 256} {
		f, x := newFFT(n, false), noise(n*fftWidth)
		b.Run(fmt.Sprintf("line/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				f.line(x[:n], x[:n])
				f.line(x[:n], x[:n])
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n*2), "ns/number")
		})
		b.Run(fmt.Sprintf("columns/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				f.columns(x, fftWidth, x, fftWidth, fftWidth)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n*fftWidth), "ns/number")
		})
	}
}
