package shm

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPoolGrowsOnUse(t *testing.T) {
	pair := PairAt(aligned(PairSize))
	a, r := NewAccount(pair, 100, 20), NewReturns(pair, 100, 20)
	for range 1000 { // in order, one at a time: nothing beyond the first few is touched
		i, ok := a.Take()
		require.True(t, ok)
		require.Less(t, i, 2*initialBuffers)
		r.Buffer(i)
	}
	taken := map[int]bool{}
	for i, ok := a.Take(); ok; i, ok = a.Take() {
		require.False(t, taken[i], "buffer %d is given out twice", i)
		require.Less(t, i, 20)
		taken[i] = true
	}
	require.GreaterOrEqual(t, len(taken), 20-initialBuffers/2+1, "few are kept back by the receiver")
	a.Put(5)
	i, ok := a.Take()
	require.True(t, ok)
	require.Equal(t, 5, i)
}

func TestPoolSizes(t *testing.T) {
	for _, size := range []int{0, 1, 4, 8, 9, MaxBuffers - 1, MaxBuffers, MaxBuffers + 1} {
		pair := PairAt(aligned(PairSize))
		a, r := NewAccount(pair, 1, size), NewReturns(pair, 1, size)
		for range 3 {
			n := 0
			var all []int
			for i, ok := a.Take(); ok; i, ok = a.Take() {
				all = append(all, i)
				n++
			}
			require.GreaterOrEqual(t, n, max(min(size, MaxBuffers)-3, min(size, 1)), "size %d", size)
			require.LessOrEqual(t, n, min(size, MaxBuffers))
			for _, i := range all {
				r.Buffer(i)
			}
		}
	}
}

// TestPairExactlyOnce: buffers go round between a sender and a receiver that returns
// them in random order; none is with both, none is lost, credit is never exceeded.
func TestPairExactlyOnce(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	const rounds, limit, size = 30000, 32, 20
	pair := PairAt(aligned(PairSize))
	const start = 1<<64 - 1000 // far beyond what a counter reaches: it may even wrap
	pair.returned.Store(start)
	var owned [size]int // not atomic: the race detector proves the order
	box := make(chan int, limit)
	var wg sync.WaitGroup
	wg.Go(func() {
		a := NewAccount(pair, limit, size)
		a.sent, a.returned = start, start
		for n := range rounds {
			for !a.Credit() {
				runtime.Gosched()
			}
			i, ok := a.Take()
			for !ok {
				runtime.Gosched()
				i, ok = a.Take()
			}
			owned[i] = n
			a.Spend()
			box <- i<<32 | n
		}
		close(box)
	})
	wg.Go(func() {
		rng := rand.New(rand.NewPCG(seed, 0))
		r := NewReturns(pair, limit, size)
		r.consumed, r.stored = start, start
		var held []int
		for v := range box {
			if owned[v>>32] != v&(1<<32-1) {
				t.Errorf("buffer %d was written while it was held", v>>32)
			}
			held = append(held, v>>32)
			for len(held) > rng.IntN(size-8) {
				k := rng.IntN(len(held))
				r.Buffer(held[k])
				r.Message()
				held = append(held[:k], held[k+1:]...)
			}
		}
	})
	wg.Wait()
}
