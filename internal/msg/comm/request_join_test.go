package comm

import (
	"fmt"
	"testing"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
)

// TestJoin: one request stands for a receive and a send, and has the status of the receive.
func TestJoin(t *testing.T) {
	overMem(t, 2, 2, mem.Options{}, func(c *Comm) error {
		out, in := make([]byte, 1<<16), make([]byte, 1<<16)
		out[7] = byte(c.Rank() + 1)
		r, err := Irecv(c, in, 1, 1-c.Rank(), 3)
		s, err2 := Isend(c, Standard, out, 1, 1-c.Rank(), 3)
		both, err3 := Join(c, r, s)
		if err := first(err, err2, err3); err != nil {
			return err
		}
		st, err := both.Wait()
		if st.Source != 1-c.Rank() || st.Tag != 3 || st.Count != 1<<16 {
			return fmt.Errorf("status %+v", st)
		}
		return first(err, wantByte(in[7], byte(2-c.Rank())))
	})
}
