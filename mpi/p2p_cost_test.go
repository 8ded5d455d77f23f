package mpi

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// pingPong has rank 0 send to rank 1 and back, rounds times.
func pingPong(c *Comm, n, rounds int) error {
	out, in := make([]byte, n), make([]byte, n)
	for range rounds {
		if c.Rank() == 0 {
			if err := Send(c, out, 1, 0); err != nil {
				return err
			}
		}
		if c.Rank() < 2 {
			if _, err := Recv(c, in, 1-c.Rank(), 0); err != nil {
				return err
			}
		}
		if c.Rank() == 1 {
			if err := Send(c, out, 0, 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// windows has rank 0 send 64 messages at a time, which rank 1 has requests for.
func windows(c *Comm, n, rounds int) error {
	const window = 64
	bufs := make([][]byte, window)
	for i := range bufs {
		bufs[i] = make([]byte, n)
	}
	reqs := make([]Request, window)
	ack := make([]byte, 1)
	for range rounds {
		for i, buf := range bufs {
			var err error
			if c.Rank() == 0 {
				reqs[i], err = Isend(c, buf, 1, i)
			} else {
				reqs[i], err = Irecv(c, buf, 0, i)
			}
			if err != nil {
				return err
			}
		}
		if err := WaitAll(reqs, nil); err != nil {
			return err
		}
		if c.Rank() == 1 {
			if err := Send(c, ack, 0, 100); err != nil {
				return err
			}
		} else if _, err := Recv(c, ack, 1, 100); err != nil {
			return err
		}
	}
	return nil
}

// exchanges are what must not allocate.
var exchanges = []struct {
	name string
	run  func(c *Comm, n, rounds int) error
}{
	{"ping-pong", pingPong},
	{"windows", windows},
	{"nonblocking collectives", nonblockingCollectives},
}

func nonblockingCollectives(c *Comm, n, rounds int) error {
	out, in, largest := make([]byte, n), make([]byte, n), Max[byte]()
	for range rounds {
		reduction, begun := Iallreduce(c, out, in, largest)
		_, ended := reduction.Wait()
		broadcast, begunToo := Ibcast(c, out, 0)
		_, endedToo := broadcast.Wait()
		if err := first(begun, ended, begunToo, endedToo); err != nil {
			return err
		}
	}
	return nil
}

// TestNoAllocations counts those of the whole process, both ranks. What is allowed is
// what the runtime allocates by itself: one allocation per message is far above it.
// Pools grow if the ranks get further apart than ever before: but that comes to an end,
// so the least of some counts is what counts. What each message allocates is in all.
func TestNoAllocations(t *testing.T) {
	check := func(c *Comm) error {
		for _, x := range exchanges {
			for _, n := range []int{0, 8, 1000, 4096, 20_000, 300_000} {
				rounds := 400
				if n > 100_000 {
					rounds = 200
				}
				most := uint64(rounds)/10 + 200
				if err := x.run(c, n, 20); err != nil { // the pools grow
					return err
				}
				again := []bool{true}
				for try := 0; again[0]; try++ {
					got, err := countAllocations(c, func() error { return x.run(c, n, rounds) })
					again[0] = got > most
					if err := first(err, Bcast(c, again, 0)); err != nil {
						return err
					}
					if again[0] && try == 3 {
						return fmt.Errorf("%s of %d bytes: %d allocations in %d rounds", x.name, n, got, rounds)
					}
				}
			}
		}
		return nil
	}
	if testkit.Race {
		t.Skip("the race detector allocates")
	}
	overMem(t, 2, 8, mem.Options{}, check)
	inOneSpace(t, 2, check)
}

// countAllocations returns how many there are while all ranks do something.
func countAllocations(c *Comm, do func() error) (uint64, error) {
	var before, after runtime.MemStats
	if err := c.Barrier(); err != nil {
		return 0, err
	}
	runtime.ReadMemStats(&before)
	err := do()
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs, first(err, c.Barrier())
}

// TestTheShortWaysDoNotAllocate: exactly, for one rank and itself.
func TestTheShortWaysDoNotAllocate(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector allocates")
	}
	overMem(t, 1, 1, mem.Options{}, func(c *Comm) error {
		out, in := []float64{1}, []float64{0}
		sts := make([]Status, 2)
		reqs := make([]Request, 2)
		var failed error
		n := testing.AllocsPerRun(1000, func() {
			var errs [5]error
			reqs[0], errs[0] = Irecv(c, in, AnySource, AnyTag)
			reqs[1], errs[1] = Isend(c, out, 0, 1)
			errs[2] = WaitAll(reqs, sts)
			errs[3] = Send(c, out, 0, 1) // unexpected
			_, errs[4] = Recv(c, in, 0, 1)
			for _, err := range errs {
				if err != nil {
					failed = err
				}
			}
		})
		require.Zero(t, n)
		return failed
	})
}

func BenchmarkPingPong(b *testing.B) {
	for _, n := range []int{0, 8, 1024, 4096, 65536, 1 << 20} {
		b.Run(fmt.Sprintf("btl=mem/bytes=%d", n), func(b *testing.B) {
			overMem(b, 2, 8, mem.Options{}, func(c *Comm) error { return pingPong(c, n, b.N) })
		})
		b.Run(fmt.Sprintf("btl=pvas/bytes=%d", n), func(b *testing.B) {
			inOneSpace(b, 2, func(c *Comm) error { return pingPong(c, n, b.N) })
		})
	}
}

func BenchmarkWindow64(b *testing.B) {
	b.Run("btl=pvas/bytes=8", func(b *testing.B) {
		inOneSpace(b, 2, func(c *Comm) error { return windows(c, 8, b.N/64+1) })
	})
}

// BenchmarkSelf is what matching and requests cost, with no module below.
func BenchmarkSelf(b *testing.B) {
	overMem(b, 1, 1, mem.Options{}, func(c *Comm) error {
		buf := make([]byte, 8)
		for range b.N {
			if err := Send(c, buf, 0, 0); err != nil {
				return err
			}
			if _, err := Recv(c, buf, 0, 0); err != nil {
				return err
			}
		}
		return nil
	})
}
