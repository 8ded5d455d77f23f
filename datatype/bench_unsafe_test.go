package datatype

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// way is a plain loop that does what the engine does.
type way struct {
	name     string
	to, from *Type
	counts   [2]int64
	plain    func(to, from []byte)
}

func floats(b []byte) []float64 {
	return unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8)
}

// record is the structure of the benchmark of structures.
type record struct {
	i int32
	d [3]float64
	c [5]byte
}

const recordSize = unsafe.Sizeof(record{})

func records(b []byte) []record {
	return unsafe.Slice((*record)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(recordSize))
}

func made(t *Type, err error) *Type {
	if err != nil {
		panic(err)
	}
	return t
}

// ways are the layouts of issue 11.
func ways() []way {
	const n = 4096
	column := made(Vector(n, 1, n, Float64))
	columns := made(Resized(column, 0, 8))
	row := made(Contiguous(n, Float64))
	halo := made(Subarray([]int64{n, n}, []int64{n, 2}, []int64{0, 1}, OrderC, Float64))
	structure := made(Struct([]int64{1, 3, 5}, []int64{0, 8, 32}, []*Type{Int32, Float64, Byte}))
	const records10k = 10000
	return []way{
		{"layout=column", column, column, [2]int64{1, 1}, func(to, from []byte) {
			a, b := floats(to), floats(from)
			for i := 0; i < n; i++ {
				a[i*n] = b[i*n]
			}
		}},
		{"layout=pack_column", row, column, [2]int64{1, 1}, func(to, from []byte) {
			a, b := floats(to), floats(from)
			for i := 0; i < n; i++ {
				a[i] = b[i*n]
			}
		}},
		{"layout=unpack_column", column, row, [2]int64{1, 1}, func(to, from []byte) {
			a, b := floats(to), floats(from)
			for i := 0; i < n; i++ {
				a[i*n] = b[i]
			}
		}},
		{"layout=halo2", halo, halo, [2]int64{1, 1}, func(to, from []byte) {
			a, b := floats(to), floats(from)
			for i := 0; i < n; i++ {
				a[i*n+1] = b[i*n+1]
				a[i*n+2] = b[i*n+2]
			}
		}},
		{"layout=transpose", row, columns, [2]int64{1024, 1024}, func(to, from []byte) {
			a, b := floats(to), floats(from)
			for i := 0; i < 1024; i++ {
				for j := 0; j < n; j++ {
					a[i*n+j] = b[j*n+i]
				}
			}
		}},
		{"layout=struct", structure, structure, [2]int64{records10k, records10k}, func(to, from []byte) {
			a, b := records(to)[:records10k], records(from)[:records10k]
			for i := range a {
				a[i].i, a[i].d, a[i].c = b[i].i, b[i].d, b[i].c
			}
		}},
	}
}

// big is memory for one matrix.
func big(b *testing.B) []byte {
	b.Helper()
	const length = 4096 * 4096 * 8
	addr, err := sys.Mmap(0, length, sys.ProtRead|sys.ProtWrite, sys.MapPrivate|sys.MapAnonymous, -1, 0)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = sys.Munmap(addr, length) })
	m := sys.Bytes(addr, length)
	for i := range m {
		m[i] = byte(i)
	}
	return m
}

func BenchmarkCopy(b *testing.B) {
	to, from := big(b), big(b)
	for _, w := range ways() {
		tl, err := w.to.Times(w.counts[0])
		if err != nil {
			b.Fatal(err)
		}
		fl, err := w.from.Times(w.counts[1])
		if err != nil {
			b.Fatal(err)
		}
		b.Run(w.name+"/by=plain", func(b *testing.B) {
			b.SetBytes(tl.Size())
			for b.Loop() {
				w.plain(to, from)
			}
		})
		b.Run(w.name+"/by=engine", func(b *testing.B) {
			b.SetBytes(tl.Size())
			for b.Loop() {
				Copy(&tl, sys.AddrOf(to), &fl, sys.AddrOf(from), 0, tl.Size())
			}
		})
	}
}

func BenchmarkShort(b *testing.B) {
	to, from := make([]byte, 1<<16), make([]byte, 1<<16)
	for _, n := range []int64{1, 4, 16, 64} {
		l, err := made(Vector(n, 1, 16, Float64)).Times(1)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("pieces=%d", n), func(b *testing.B) {
			for b.Loop() {
				Copy(&l, sys.AddrOf(to), &l, sys.AddrOf(from), 0, l.Size())
			}
		})
	}
}

func BenchmarkIndexed(b *testing.B) {
	const n = 10000
	displacements := make([]int64, n)
	for i := range displacements {
		displacements[i] = int64(i*3 + i%2)
	}
	t := made(IndexedBlock(1, displacements, Float64))
	l, err := t.Times(1)
	if err != nil {
		b.Fatal(err)
	}
	to, from := make([]byte, 1<<20), make([]byte, 1<<20)
	b.Run("by=plain", func(b *testing.B) {
		x, y := floats(to), floats(from)
		for b.Loop() {
			for i, d := range displacements {
				x[i] = y[d]
			}
		}
	})
	b.Run("by=pack", func(b *testing.B) {
		for b.Loop() {
			Pack(to[:l.Size()], &l, sys.AddrOf(from), 0)
		}
	})
	b.Run("by=copy", func(b *testing.B) {
		for b.Loop() {
			Copy(&l, sys.AddrOf(to), &l, sys.AddrOf(from), 0, l.Size())
		}
	})
}

func BenchmarkSegments(b *testing.B) {
	l, err := made(Vector(1<<20, 1, 16, Float64)).Times(1)
	if err != nil {
		b.Fatal(err)
	}
	segs := make([]Segment, 1024)
	b.Run("segments=1024", func(b *testing.B) {
		for b.Loop() {
			Segments(segs, &l, 0, 4096)
		}
	})
}

// BenchmarkMake makes a type and its flat form.
func BenchmarkMake(b *testing.B) {
	b.Run("type=vector", func(b *testing.B) {
		for b.Loop() {
			made(Vector(1000, 1, 16, Float64)).Flat()
		}
	})
	for _, n := range []int{100, 100000} {
		displacements := make([]int64, n)
		for i := range displacements {
			displacements[i] = int64(i*3 + i%2)
		}
		b.Run(fmt.Sprintf("type=indexed/blocks=%d", n), func(b *testing.B) {
			for b.Loop() {
				made(IndexedBlock(1, displacements, Float64)).Flat()
			}
		})
	}
}
