package comm

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
)

// TestEqualUnitsAreOne: communicators of the same ranks add nothing to the table of
// units, however many there have been.
func TestEqualUnitsAreOne(t *testing.T) {
	overMem(t, 2, 2, mem.Options{}, func(c *Comm) error {
		var bits uint32
		for round := range 20 {
			s, err := c.Split(0, -c.Rank())
			if err != nil {
				return err
			}
			if round == 0 {
				bits = s.unit(6)
			}
			require.Equal(t, bits, s.unit(6))
			require.NotEqual(t, bits, s.unit(7))
			require.Equal(t, uint32(6), c.unit(6), "the world needs no table")
			r, err := Irecv(s, make([]byte, 12), 6, ProcNull, 0)
			if err != nil {
				return err
			}
			require.Equal(t, bits, r.r.Unit)
			if _, err := r.Wait(); err != nil {
				return err
			}
			if err := s.Free(); err != nil {
				return err
			}
		}
		return nil
	})
}
