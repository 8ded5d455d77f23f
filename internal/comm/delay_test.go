package comm

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/btl/mem"
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
