package pml

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/mpi/fault"
)

// TestLongLengths: a message may be longer than any buffer of this process.
func TestLongLengths(t *testing.T) {
	for _, c := range []struct {
		length uint64
		buffer int
		got    uint64
	}{
		{5 << 30, 16, 16}, {1<<32 + 3, 3, 3}, {1 << 63, 1, 1}, {1<<64 - 1, 0, 0}, {16, 16, 16}, {3, 16, 3},
	} {
		op := &operation{buf: btl.Buffer{Bytes: make([]byte, c.buffer)}}
		err := op.size(c.length)
		require.Equal(t, c.got, op.status.Bytes)
		if c.length <= uint64(c.buffer) {
			require.NoError(t, err)
			continue
		}
		require.Equal(t, &fault.TruncateError{Length: c.length, Buffer: uint64(c.buffer)}, err)
	}
}

// TestWider: what a wait asks beside its looks is less than twice what these ask, however long it
// lasts, and more each time.
func TestWider(t *testing.T) {
	last, sum := 0, 0
	for looks := range 100_000 {
		if n := wider(looks); n > 0 {
			require.Greater(t, n, last)
			last, sum = n, sum+n
		}
		require.LessOrEqual(t, sum, 2*moveBatch*looks)
	}
	require.Equal(t, moveBatch<<16, last)
}

// over is a transfer that is done, or is not.
type over bool

func (o over) Progress() (bool, error) { return bool(o), nil }

// TestAllSendsAreAsked: the last look before a rank sleeps asks all sends, wherever the turn of the peers
// is and whichever of them are done.
func TestAllSendsAreAsked(t *testing.T) {
	const peers = 4
	for turn := range peers {
		for done := range 1 << peers {
			e := &Engine{turn: turn}
			var ops [peers]*operation
			for i := range ops {
				op := &operation{state: moving, transfer: over(done>>i&1 == 1)}
				op.node.Of = op
				b := &peerSends{peer: int32(i)}
				b.underway.Push(&op.node)
				ops[i], e.busy = op, append(e.busy, b)
			}
			e.advanceSends(math.MaxInt)
			for i, op := range ops {
				require.Equal(t, done>>i&1 == 1, op.state == complete, "peer %d, turn %d, done %b", i, turn, done)
			}
		}
	}
}
