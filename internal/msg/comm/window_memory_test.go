package comm

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
)

// Windows whose sizes grow, each freed before the next one is made, have few blocks, and find zeros.
func TestGrowingWindowsUseTheSameBlocks(t *testing.T) {
	overMem(t, 1, 1, mem.Options{}, func(c *Comm) error {
		for range 3 {
			for bytes := 5000; bytes < 4<<20; bytes += bytes / 10 {
				w, err := WinAllocateShared(c, WinSpec{Bytes: bytes, Unit: 1, Control: 64})
				if err != nil {
					return err
				}
				local := w.Local()
				assert.Len(t, local, bytes)
				for _, i := range []int{0, bytes / 2, bytes - 1} {
					assert.Zero(t, local[i])
				}
				for i := range local {
					local[i] = 1
				}
				if err := w.Free(); err != nil {
					return err
				}
			}
		}
		total, kept, short := 0, 0, 0
		for _, b := range c.windows.free {
			total += len(b.mem)
			if b.used {
				kept += len(b.mem)
			}
			if len(b.mem) < leastPower {
				short += len(b.mem)
			}
		}
		assert.Less(t, total-short, 4*(4<<20), "powers of two up to the longest")
		assert.Equal(t, kept, c.windows.kept)
		assert.LessOrEqual(t, kept, mostKept)
		return nil
	})
}
