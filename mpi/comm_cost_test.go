package mpi

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// TestMessagesOnASplitDoNotAllocate: to translate ranks costs no memory.
func TestMessagesOnASplitDoNotAllocate(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector allocates")
	}
	overMem(t, 1, 1, mem.Options{}, func(c *Comm) error {
		s, err := c.Split(0, 0)
		if err != nil {
			return err
		}
		out, in := []float64{1}, []float64{0}
		sts, reqs := make([]Status, 2), make([]Request, 2)
		var failed error
		n := testing.AllocsPerRun(1000, func() {
			var errs [5]error
			reqs[0], errs[0] = Irecv(s, in, AnySource, AnyTag)
			reqs[1], errs[1] = Isend(s, out, 0, 1)
			errs[2] = WaitAll(reqs, sts)
			errs[3] = Send(s, out, 0, 1)
			_, errs[4] = Recv(s, in, AnySource, 1)
			failed = first(failed, first(errs[:]...))
		})
		require.Zero(t, n)
		return failed
	})
}

func BenchmarkDup(b *testing.B) {
	for _, ranks := range []int{1, 2, 8, 64} {
		b.Run(fmt.Sprintf("ranks=%d", ranks), func(b *testing.B) {
			inOneSpace(b, ranks, func(c *Comm) error {
				for range b.N {
					d, err := c.Dup()
					if err != nil {
						return err
					}
					if err := d.Free(); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
}

// BenchmarkSelfOnASplit is BenchmarkSelf where ranks have to be translated.
func BenchmarkSelfOnASplit(b *testing.B) {
	overMem(b, 1, 1, mem.Options{}, func(c *Comm) error {
		s, err := c.Split(0, 0)
		if err != nil {
			return err
		}
		buf := make([]byte, 8)
		b.ResetTimer()
		for range b.N {
			if err := Send(s, buf, 0, 0); err != nil {
				return err
			}
			if _, err := Recv(s, buf, AnySource, 0); err != nil {
				return err
			}
		}
		return nil
	})
}
