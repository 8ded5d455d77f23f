package comm

import (
	"fmt"
	"testing"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
)

// TestIflushBufferOf: the request is complete when the message was received.
func TestIflushBufferOf(t *testing.T) {
	overMem(t, 2, 2, mem.Options{}, func(c *Comm) error {
		long := make([]byte, 1<<18)
		if c.Rank() == 1 {
			return first(c.Barrier(), Recv(c, new(Status), long, 1, 0, 0))
		}
		if err := Bsend(c, long, 1, 1, 0); err != nil {
			return err
		}
		r, err := IflushBufferOf(c, nil)
		if err != nil {
			return err
		}
		if _, done, err := r.Test(); done || err != nil {
			return fmt.Errorf("flushed before the receive: %v, %v", done, err)
		}
		if err := c.Barrier(); err != nil {
			return err
		}
		_, err = r.Wait()
		return err
	})
}
