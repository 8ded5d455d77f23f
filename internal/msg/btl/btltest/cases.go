package btltest

import (
	"math"
	"os"
	"sync"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/mpi/fault"
)

func identity(e *env) {
	require.Equal(e, e.root.BTL().String(), e.Name())
}

// sizes are around the boundaries that modules round to.
func sizes() []int {
	page := os.Getpagesize()
	return []int{1, page - 1, page, page + 1, 5*page + 3, btl.HugePage - 1, btl.HugePage,
		btl.HugePage + 1, 1, 3 * btl.HugePage}
}

func freshMemory(e *env) {
	type span struct{ start, end uintptr }
	var spans []span
	for _, n := range sizes() {
		mem, _, err := e.Alloc(n)
		require.NoError(e, err)
		require.Len(e, mem, n)
		for i, b := range mem {
			if b != 0 {
				require.Zero(e, b, "byte %d of %d", i, n)
			}
		}
		align := uintptr(os.Getpagesize())
		if n >= btl.HugePage {
			align = btl.HugePage
		}
		s := span{sys.AddrOf(mem), sys.AddrOf(mem) + uintptr(n)}
		require.Zero(e, s.start%align, "%d bytes at %#x", n, s.start)
		for _, o := range spans {
			require.True(e, s.end <= o.start || o.end <= s.start, "%v and %v overlap", s, o)
		}
		spans = append(spans, s)
		fill(mem, e.rank) // what comes next must be zero all the same
	}
}

func badLengths(e *env) {
	mem, _, err := e.Alloc(0)
	require.NoError(e, err)
	require.NotNil(e, mem)
	require.Empty(e, mem)
	for _, n := range []int{-1, math.MinInt} {
		_, _, err := e.Alloc(n)
		require.ErrorContains(e, err, "negative")
	}
}

func exhausted(e *env) {
	for _, n := range []int{math.MaxInt, math.MaxInt - btl.HugePage, math.MaxInt / 2, 1 << 50} {
		_, _, err := e.Alloc(n)
		require.ErrorIs(e, err, btl.ErrExhausted)
	}
	mem, _, err := e.Alloc(10)
	require.NoError(e, err, "the module is as good as before")
	fill(mem, e.rank)
}

func readAndWritePeers(e *env) {
	for _, n := range []int{4096 + 17, btl.HugePage + 5} {
		mem := e.share(n)
		fill(mem, e.rank)
		e.barrier()
		for rank := range e.root.Ranks() {
			e.check(e.peer(rank), rank, 0)
		}
		e.barrier()
		for rank := range e.root.Ranks() {
			e.peer(rank)[e.rank] = byte(200 + e.rank)
		}
		e.barrier()
		for rank := range e.root.Ranks() {
			require.Equal(e, byte(200+rank), mem[rank], "written by rank %d", rank)
		}
		e.check(mem[e.root.Ranks():], e.rank, e.root.Ranks())
	}
}

func lengthsDiffer(e *env) {
	mem := e.share(e.rank * 3000)
	fill(mem, e.rank)
	e.barrier()
	for rank := range e.root.Ranks() {
		peer := e.peer(rank)
		require.Len(e, peer, rank*3000)
		e.check(peer, rank, 0)
	}
	e.barrier()
}

// parts attaches bytes that begin and end anywhere within an allocation.
func parts(e *env) {
	const n = 20000
	fill(e.share(n), e.rank)
	e.barrier()
	for rank := range e.root.Ranks() {
		at, _ := e.root.Window(rank, e.slot-1)
		for _, p := range []struct{ from, n int }{{0, n}, {1, 1}, {4095, 2}, {4097, 9000}, {n - 1, 1}, {7, 0}} {
			mem, err := e.Attach(rank, at+uint64(p.from), p.n)
			require.NoError(e, err)
			require.Len(e, mem, p.n)
			require.Equal(e, p.n, cap(mem), "nothing behind the end can be reached")
			e.check(mem, rank, p.from)
		}
	}
	e.barrier()
}

func badAttachments(e *env) {
	e.share(100)
	at, _ := e.root.Window(e.rank, e.slot-1)
	for _, rank := range []int{-1, e.root.Ranks(), math.MaxInt} {
		_, err := e.Attach(rank, at, 1)
		var bad *fault.RankError
		require.ErrorAs(e, err, &bad)
		require.Equal(e, rank, bad.Rank)
	}
	_, err := e.Attach(e.rank, at, -1)
	require.ErrorContains(e, err, "negative")
	for _, c := range []struct {
		at uint64
		n  int
	}{{math.MaxUint64, 1}, {math.MaxUint64 - 5, math.MaxInt}, {1 << 62, 1}, {at, math.MaxInt}} {
		_, err := e.Attach(e.rank, c.at, c.n)
		require.Error(e, err, "%d bytes at %#x", c.n, c.at)
	}
	e.barrier()
}

// atomics lets all ranks count in the memory of rank 0.
func atomics(e *env) {
	const each = 2000
	e.share(64)
	counter := counterAt(e.peer(0))
	for range each {
		counter.Add(1)
	}
	e.barrier()
	require.EqualValues(e, each*e.root.Ranks(), counter.Load())
	e.barrier()
}

// goroutines allocates and attaches from several at once.
func goroutines(e *env) {
	e.share(30000)
	var wg sync.WaitGroup
	var errs [8]error
	for i := range errs {
		wg.Go(func() {
			for n := range 20 {
				mem, _, err := e.Alloc(100 + n)
				if err == nil {
					fill(mem, e.rank)
					at, _ := e.root.Window(n%e.root.Ranks(), e.slot-1)
					_, err = e.Attach(n%e.root.Ranks(), at, 1+n*1000)
				}
				if err != nil {
					errs[i] = err
				}
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		require.NoError(e, err)
	}
	e.barrier()
}

// exposed keeps the memory of direct reachable, and carries the order of writing
// and reading for the race detector, which does not see barriers in mapped memory.
var exposed sync.Map

// direct attaches ordinary memory of peers, where the module says that it can.
func direct(e *env) {
	if !e.Direct() {
		require.Equal(e, job.BTLSM, e.root.BTL())
		return
	}
	mem := make([]byte, 5000)
	fill(mem, e.rank)
	exposed.Store(e, mem)
	e.publish(uint64(sys.AddrOf(mem)), len(mem))
	exposed.Range(func(any, any) bool { return true })
	for rank := range e.root.Ranks() {
		e.check(e.peer(rank), rank, 0)
	}
	e.barrier()
	exposed.Delete(e)
}

func closed(e *env) {
	fill(e.share(5000), e.rank)
	e.barrier()
	peers := e.root.Ranks()
	if e.rank == 0 { // the others still look at its memory
		require.NoError(e, e.Close())
		require.NoError(e, e.Close())
		_, _, err := e.Alloc(1)
		require.ErrorIs(e, err, btl.ErrClosed)
		_, err = e.Attach(peers-1, 0, 1)
		require.ErrorIs(e, err, btl.ErrClosed)
	}
	e.barrier()
	if e.rank != 0 {
		e.check(e.peer(0), 0, 0)
	}
	e.barrier()
}

// peerHasGone attaches the last rank's memory for the first time when that rank
// has gone, and that of a living one.
func peerHasGone(e *env) {
	last := e.root.Ranks() - 1
	fill(e.share(9000), e.rank)
	e.barrier()
	if e.rank == last {
		return // and the caller marks it as gone
	}
	var lost *fault.LostError
	require.ErrorAs(e, e.meet(), &lost)
	require.Equal(e, last, lost.Rank)
	e.check(e.peer(last), last, 0)
	e.check(e.peer(0), 0, 0)
}
