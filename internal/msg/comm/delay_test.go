package comm

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
)

// Calls of each kind wait on a delayed world, and on what is made of it.
func TestDelay(t *testing.T) {
	overMem(t, 2, 2, mem.Options{}, func(c *Comm) error {
		Delay(c, 7)
		var waits atomic.Int64
		c.delays.Wait = func(time.Duration) { waits.Add(1) }
		made, err := c.Dup()
		if err != nil {
			return err
		}
		peer, buf := 1-c.Rank(), make([]byte, 1)
		for _, c := range []*Comm{c, made} {
			var st Status
			for what, call := range []func() error{
				c.Barrier,
				func() error { return Send(c, Standard, buf, 1, peer, 1) },
				func() error { return Recv(c, &st, buf, 1, peer, 1) },
			} {
				before := waits.Load()
				for range 50 {
					if err := call(); err != nil {
						return err
					}
				}
				require.Greater(t, waits.Load(), before, what)
				require.Less(t, waits.Load(), before+50, what)
			}
		}
		return made.Free()
	})
}

// So do calls on requests, and those that ask what comes before them.
func TestDelayOfRequests(t *testing.T) {
	overMem(t, 1, 1, mem.Options{}, func(c *Comm) error {
		Delay(c, 7)
		var waits atomic.Int64
		c.delays.Wait = func(time.Duration) { waits.Add(1) }
		for what, call := range map[string]func([]Request) error{
			"wait":         func(r []Request) error { _, err := r[0].Wait(); return err },
			"wait context": func(r []Request) error { _, err := r[0].WaitContext(context.Background()); return err },
			"wait all":     func(r []Request) error { return WaitAll(r, nil) },
			"wait any":     func(r []Request) error { _, _, err := WaitAny(r); return err },
			"wait some":    func(r []Request) error { _, _, err := WaitSome(r, nil, nil); return err },
			"test":         func(r []Request) error { _, _, err := r[0].Test(); return err },
			"test all":     func(r []Request) error { _, err := TestAll(r, nil); return err },
			"test any":     func(r []Request) error { _, _, _, err := TestAny(r); return err },
			"test some":    func(r []Request) error { _, _, err := TestSome(r, nil, nil); return err },
			"before":       func(r []Request) error { Before(c)(); return WaitAll(nil, nil) },
		} {
			var n int64
			for range 50 {
				r, err := Irecv(c, make([]byte, 1), 1, 0, 1)
				if err := first(err, Send(c, Standard, make([]byte, 1), 1, 0, 1)); err != nil {
					return err
				}
				before, list := waits.Load(), []Request{r}
				err = call(list)
				n += waits.Load() - before
				if err := first(err, WaitAll(list, nil)); err != nil {
					return err
				}
			}
			require.Positive(t, n, what)
		}
		return nil
	})
}
