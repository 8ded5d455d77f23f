package operator

import "github.com/gopvas/gopvas/internal/node/sys"

// For n bytes, a multiple of 32 above 0.

func addFour32(out, a, b, c, d *byte, n int)
func addFour64(out, a, b, c, d *byte, n int)
func multiplyFour32(out, a, b, c, d *byte, n int)
func multiplyFour64(out, a, b, c, d *byte, n int)

// fourBy uses vectors where there are some. The loop does what is left over.
func fourBy(vectors func(out, a, b, c, d *byte, n int), loop four) four {
	if !sys.HasAVX2() {
		return loop
	}
	return func(out, a, b, c, d []byte) {
		n := len(out) &^ 31
		if n > 0 {
			last := len(out) - 1 // the vectors check no bounds
			_, _, _, _ = a[last], b[last], c[last], d[last]
			vectors(&out[0], &a[0], &b[0], &c[0], &d[0], n)
		}
		if n < len(out) {
			loop(out[n:], a[n:], b[n:], c[n:], d[n:])
		}
	}
}
