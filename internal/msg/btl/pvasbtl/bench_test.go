package pvasbtl_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/btl/btltest"
	"github.com/gopvas/gopvas/internal/msg/btl/pvasbtl"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// BenchmarkMessages runs two ranks as goroutines, each bound to a CPU of its own
// where there are two.
func BenchmarkMessages(b *testing.B) {
	for _, n := range btltest.Sizes() {
		b.Run(fmt.Sprintf("op=pingpong/bytes=%d", n), func(b *testing.B) {
			pair(b, n, (*btltest.Exchange).PingPong)
		})
	}
	for _, n := range []int{8, 256, 512, 1024, 4096} {
		b.Run(fmt.Sprintf("op=pingpong/bytes=%d/way=zerocopy", n), func(b *testing.B) {
			pair(b, n, func(e *btltest.Exchange, b *testing.B, rank, n int) {
				e.ZeroCopy = true
				e.PingPong(b, rank, n)
			})
		})
	}
	for _, n := range []int{8, 1024} {
		b.Run(fmt.Sprintf("op=stream/bytes=%d", n), func(b *testing.B) {
			pair(b, n, (*btltest.Exchange).Stream)
		})
	}
}

func pair(b *testing.B, bytes int, run func(*btltest.Exchange, *testing.B, int, int)) {
	root := space(b, job.Config{Ranks: 2, CPUs: runtime.NumCPU()})
	done := make(chan error)
	b.ReportAllocs()
	go func() {
		runtime.LockOSThread() // and the thread ends with the goroutine, so the binding too
		bind(1)
		m, err := pvasbtl.New(root, 1)
		if err == nil {
			run(btltest.NewExchange(m, root, 1, bytes), nil, 1, b.N)
		}
		done <- err
	}()
	go func() {
		runtime.LockOSThread()
		bind(0)
		m, err := pvasbtl.New(root, 0)
		if err == nil {
			e := btltest.NewExchange(m, root, 0, bytes)
			b.ResetTimer()
			run(e, b, 0, b.N)
		}
		done <- err
	}()
	require.NoError(b, <-done)
	require.NoError(b, <-done)
}

// bind is best effort: a benchmark on one CPU measures something, too.
func bind(i int) {
	if cpus, err := sys.Affinity(); err == nil {
		_ = sys.SetAffinity(cpus[i%len(cpus) : i%len(cpus)+1])
	}
}
