package btl_test

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/node/sys"
)

const columnLength = 1 << 20

// column returns a buffer of columnLength bytes, each beside another. The buffer alone keeps
// its memory reachable. collected is called when it does not any more.
func column(t *testing.T, collected func()) btl.Buffer {
	mem := make([]byte, 2*columnLength)
	runtime.AddCleanup(&mem[0], func(struct{}) { collected() }, struct{}{})
	column, err := datatype.Vector(columnLength, 1, 2, datatype.Byte)
	require.NoError(t, err)
	l, err := column.Times(1)
	require.NoError(t, err)
	return btl.Buffer{Bytes: mem, Layout: &l, Base: sys.HeapAddr(mem)}
}

// A copy knows the memory of a layout by its address only. It has to keep the memory
// reachable itself, because its caller may have no further use for the buffer.
func TestCopyKeepsMemoryOfLayout(t *testing.T) {
	packed := make([]byte, columnLength)
	for name, use := range map[string]func(b btl.Buffer){
		"pack":   func(b btl.Buffer) { b.Pack(packed, 0) },
		"unpack": func(b btl.Buffer) { b.Unpack(packed, 0) },
		"copy":   func(b btl.Buffer) { btl.Copy(&b, &btl.Buffer{Bytes: packed}, 0, columnLength) },
	} {
		t.Run(name, func(t *testing.T) {
			for range 3 {
				var used, early atomic.Bool
				collecting := make(chan struct{})
				go func() {
					defer close(collecting)
					for !used.Load() {
						runtime.GC()
					}
				}()
				use(column(t, func() { early.Store(!used.Load()) }))
				used.Store(true)
				<-collecting
				require.False(t, early.Load(), "the memory was collected during the copy")
			}
		})
	}
}
