package mpi

import (
	"fmt"
	"testing"
)

// benchOp times an operator on vectors of a chunk of a collective, of what fits into the
// L2 cache, and more.
func benchOp[T Real](b *testing.B, name string, op *Op[T]) {
	size, _ := elementSize[T]()
	for _, n := range []int{16 << 10, 64 << 10, 1 << 20} {
		b.Run(fmt.Sprintf("op=%s/bytes=%d", name, n), func(b *testing.B) {
			x, y := make([]T, n/size), make([]T, n/size)
			bx, by := bytesOf(x, size), bytesOf(y, size)
			b.SetBytes(int64(n))
			for b.Loop() {
				op.op.Apply(bx, by)
			}
		})
	}
}

// BenchmarkKernel reports the bytes of one of the two vectors per second.
func BenchmarkKernel(b *testing.B) {
	benchOp(b, "sum/type=float64", Sum[float64]())
	benchOp(b, "sum/type=float32", Sum[float32]())
	benchOp(b, "sum/type=int32", Sum[int32]())
	benchOp(b, "max/type=float64", Max[float64]())
	benchOp(b, "max/type=int32", Max[int32]())
	benchOp(b, "band/type=uint8", BAnd[uint8]())
}
