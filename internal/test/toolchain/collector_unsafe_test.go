package toolchain

import (
	"bytes"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/sys"
)

const arena = 64 << 20 // what a heap of Go grows by

// testForeignAddresses: the collector leaves alone what lies outside its heap, also where the heap would grow next. So
// slices and pointers to memory of other ranks may be kept.
func testForeignAddresses(t *testing.T) {
	const length = 1 << 20
	own := make([]byte, 1)
	var all [][]byte
	place := sys.HeapAddr(own) &^ (arena - 1)
	for len(all) < 8 { // behind the heap
		place += arena
		at, err := sys.Mmap(place, length, sys.ProtRead|sys.ProtWrite,
			sys.MapPrivate|sys.MapAnonymous|sys.MapFixedNoReplace, -1, 0)
		if err != nil {
			continue // the heap itself
		}
		defer func() { require.NoError(t, sys.Munmap(at, length)) }()
		mem := sys.Bytes(at, length)
		for i := range mem {
			mem[i] = byte(i*7 + len(all))
		}
		all = append(all, mem)
	}
	want := bytes.Join(all, nil)
	type record struct {
		slice   []byte
		pointer *byte
		next    *record
	}
	var done atomic.Bool
	var writers sync.WaitGroup
	for w := range 2 {
		writers.Go(func() { // stores such pointers while garbage is collected
			var last *record
			for i := w; !done.Load(); i++ {
				mem := all[i%len(all)]
				last = &record{mem[i%length:], &mem[i*31%length], last}
				if i%1000 == 0 {
					last = nil
				}
			}
		})
	}
	var kept [][]byte
	for range 6 {
		kept = append(kept, make([]byte, arena/4)) // the heap grows beyond
		runtime.GC()
	}
	done.Store(true)
	writers.Wait()
	require.True(t, bytes.Equal(want, bytes.Join(all, nil)), "the collector has written to foreign memory")
	runtime.KeepAlive(kept)
}

// testMemoryStays: an object of the heap stays where it is, and sys.HeapAddr has its object put there. So
// an address may be told to others.
func testMemoryStays(t *testing.T) {
	mem := make([]byte, 64)
	mem[7] = 7
	before := sys.HeapAddr(mem)
	require.Positive(t, deep(5000), "which moves the stack")
	for range 3 {
		runtime.GC()
	}
	require.Equal(t, before, sys.AddrOf(mem))
	require.EqualValues(t, 7, sys.Bytes(before, 64)[7])
	runtime.KeepAlive(mem)
}

func deep(n int) int {
	var frame [128]byte
	frame[n%128] = 1
	if n == 0 {
		return 1
	}
	return deep(n-1) + int(frame[(n+1)%128])
}
