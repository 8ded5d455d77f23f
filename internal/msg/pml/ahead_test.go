package pml_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/node/job"
)

// TestSendsRunAhead: a rank sends what the receiver's credit is, and as much as job.AheadLimit says, before sends wait.
// All is received, in order, and then there is as much room again.
func TestSendsRunAhead(t *testing.T) {
	const bytes, credit = 1000, 256
	w := newWorld(t, 2, 2, mem.Options{Queue: 1 << 16, Credit: credit})
	from, to := w.engines[0], w.engines[1]
	for round := range 2 {
		sent, buf, in := 0, make([]byte, bytes), make([]byte, bytes)
		var waits pml.Request
		for {
			binary.LittleEndian.PutUint32(buf, uint32(sent))
			r, err := from.Isend(0, 1, 1, buf, pml.Standard)
			require.NoError(t, err)
			sent++
			if _, done, err := r.Test(); !done {
				require.NoError(t, err)
				waits = r
				break
			}
		}
		require.Equal(t, credit+job.AheadLimit/(bytes+job.AheadCost)+1, sent, "round %d", round)
		for i := range sent {
			_, err := to.Recv(0, 0, 1, in)
			require.NoError(t, err)
			require.EqualValues(t, i, binary.LittleEndian.Uint32(in), "in order")
		}
		_, err := waits.Wait()
		require.NoError(t, err)
		from.Drain(func(int) bool { return true })
	}
	require.NoError(t, from.Close())
	require.NoError(t, to.Close())
}
