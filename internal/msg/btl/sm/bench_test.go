package sm_test

import (
	"fmt"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/btl/btltest"
	"github.com/gopvas/gopvas/internal/msg/btl/sm"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// BenchmarkMessages runs two ranks as goroutines, each bound to a CPU of its own
// where there are two. Each has its own mapping of everything, as processes have.
func BenchmarkMessages(b *testing.B) {
	for _, mode := range []job.SingleCopy{job.SingleCopyNone, job.SingleCopyCMA} {
		for _, n := range btltest.Sizes() {
			b.Run(fmt.Sprintf("op=pingpong/bytes=%d/single-copy=%v", n, mode), func(b *testing.B) {
				pair(b, n, mode, (*btltest.Exchange).PingPong)
			})
		}
	}
	for _, n := range []int{8, 1024} {
		b.Run(fmt.Sprintf("op=stream/bytes=%d", n), func(b *testing.B) {
			pair(b, n, job.SingleCopyAuto, (*btltest.Exchange).Stream)
		})
	}
}

func pair(b *testing.B, bytes int, mode job.SingleCopy, run func(*btltest.Exchange, *testing.B, int, int)) {
	mem, err := job.Create(job.Config{Ranks: 2, BTL: job.BTLSM, CPUs: runtime.NumCPU(),
		Settings: job.Settings{SingleCopy: mode}})
	require.NoError(b, err)
	done := make(chan error)
	b.ReportAllocs()
	for rank := range 2 {
		require.NoError(b, mem.Root().Claim(rank, os.Getpid()))
		go func() {
			runtime.LockOSThread() // and the thread ends with the goroutine, so the binding too
			bind(rank)
			m, err := sm.New(mem, rank)
			if err != nil {
				done <- err
				return
			}
			e := btltest.NewExchange(m, mem.Root(), rank, bytes)
			if rank == 0 {
				b.ResetTimer()
				run(e, b, rank, b.N)
			} else {
				run(e, nil, rank, b.N)
			}
			done <- nil
		}()
	}
	require.NoError(b, <-done)
	require.NoError(b, <-done)
	require.NoError(b, mem.Close())
}

// bind is best effort: a benchmark on one CPU measures something, too.
func bind(i int) {
	if cpus, err := sys.Affinity(); err == nil {
		_ = sys.SetAffinity(cpus[i%len(cpus) : i%len(cpus)+1])
	}
}
