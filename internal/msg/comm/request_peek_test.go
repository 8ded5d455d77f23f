package comm

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/msg/pml"
)

func TestPeekAndLeave(t *testing.T) {
	overMem(t, 1, 1, mem.Options{}, func(c *Comm) error {
		var buf [1]byte
		r, err := Irecv(c, buf[:], 1, 0, 0)
		require.NoError(t, err)
		_, done, err := Peek(&r)
		require.NoError(t, err)
		require.False(t, done)
		require.NoError(t, Send(c, Standard, []byte{1}, 1, 0, 0))
		for range 2 {
			st, done, err := Peek(&r)
			require.NoError(t, err)
			require.Equal(t, "true 0 1", fmt.Sprint(done, " ", st.Source, st.Count))
		}
		_, err = r.Wait()
		require.NoError(t, err)
		left, err := Irecv(c, buf[:], 1, 0, 0)
		require.NoError(t, err)
		require.NoError(t, Leave(&left))
		return first(Leave(&left), Send(c, Standard, []byte{7}, 1, 0, 0), wantByte(buf[0], 7))
	})
}

func wantByte(got, want byte) error {
	if got != want {
		return fmt.Errorf("got %d, want %d", got, want)
	}
	return nil
}

// A receive that is checked does not begin in memory that one before it uses.
func TestReceivesIntoMemoryInUse(t *testing.T) {
	overMem(t, 1, 1, mem.Options{}, func(c *Comm) error {
		buf, one := make([]byte, 8), Element(1)
		SetCheck(c, true)
		r, err := Irecv(c, buf[:5], one, 0, 1)
		require.NoError(t, err)
		_, err = Irecv(c, buf[4:], one, 0, 2)
		require.ErrorIs(t, err, ErrInUse)
		other, err := Irecv(c, buf[5:], one, 0, 2)
		require.NoError(t, err)
		for tag := 1; tag <= 2; tag++ {
			require.NoError(t, Send(c, pml.Standard, buf[:0], one, 0, tag))
		}
		return WaitAll([]Request{r, other}, nil)
	})
}
