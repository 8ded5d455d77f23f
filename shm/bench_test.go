package shm

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// BenchmarkLine has two threads, each bound to a CPU of its own where there are two, hand
// a word back and forth: the least that a short message can take.
func BenchmarkLine(b *testing.B) {
	var words [2]struct {
		atomic.Uint64
		_ [2*cacheLine - 8]byte
	}
	var wg sync.WaitGroup
	for side := range 2 {
		mine, theirs := &words[side], &words[1-side]
		wg.Go(func() {
			runtime.LockOSThread() // and the thread ends with the goroutine, so the binding too
			if cpus, err := sys.Affinity(); err == nil {
				_ = sys.SetAffinity(cpus[side%len(cpus) : side%len(cpus)+1])
			}
			for n := range uint64(b.N) {
				// Side 0 begins, and then each answers the other.
				for looks := 1; theirs.Load() != n+uint64(side); looks++ {
					if looks&(1<<12-1) == 0 {
						runtime.Gosched() // there may be one CPU
					}
				}
				mine.Store(n + 1)
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(2*b.N), "ns/oneway")
}

// BenchmarkRing has one consumer; ns/op is per message.
func BenchmarkRing(b *testing.B) {
	const slots = 256
	b.Run("op=through/producers=1/goroutines=1", func(b *testing.B) {
		mem, start := ringNearOverflow(b, slots)
		c, p := consumer(b, mem, slots, start), producer(b, mem, slots, 0, start)
		for b.Loop() {
			push(p, 1, 1)
			c.Front()
			c.Pop()
		}
	})
	for _, producers := range []int{1, 4} {
		b.Run(fmt.Sprintf("op=stream/producers=%d", producers), func(b *testing.B) {
			mem, start := ringNearOverflow(b, slots)
			c := consumer(b, mem, slots, start)
			var wg sync.WaitGroup
			each := b.N/producers + 1
			for i := range producers {
				p := producer(b, mem, slots, i, start)
				wg.Go(func() {
					for n := range uint64(each) {
						for !push(p, n, 1) {
							runtime.Gosched()
						}
					}
				})
			}
			for got := 0; got < each*producers; {
				if s, _ := c.Front(); s == nil {
					if producers > 1 {
						runtime.Gosched()
					}
					continue
				}
				c.Pop()
				got++
			}
			wg.Wait()
		})
	}
}

// BenchmarkPair takes a buffer and gives it back.
func BenchmarkPair(b *testing.B) {
	pair := PairAt(aligned(PairSize))
	a, r := NewAccount(pair, 256, MaxBuffers), NewReturns(pair, 256, MaxBuffers)
	b.Run("op=take-return", func(b *testing.B) {
		for b.Loop() {
			a.Credit()
			a.Spend()
			i, _ := a.Take()
			r.Buffer(i)
			r.Message()
		}
	})
}
