package mail

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/mpi/fault"
)

// column is a buffer with rows elements of 8 bytes, 72 bytes apart.
type column struct {
	btl.Buffer
	layout datatype.Layout
}

func newColumn(t *testing.T, rows int64) *column {
	kind, err := datatype.Vector(rows, 1, 9, datatype.Float64)
	require.NoError(t, err)
	c := &column{}
	c.layout, err = kind.Times(1)
	require.NoError(t, err)
	require.True(t, c.layout.Thin())
	c.Bytes = make([]byte, rows*72)
	c.Layout, c.Base = &c.layout, sys.HeapAddr(c.Bytes)
	return c
}

// staged has rank 0 offer a column and rank 1 accept it.
func staged(t *testing.T, rows int64) (root *job.Root, b []*Box, src, dst *column, out, in btl.Transfer) {
	root, b = boxes(t, 2, true, job.Settings{})
	require.Positive(t, b[0].patience)
	src, dst = newColumn(t, rows), newColumn(t, rows)
	rng := rand.New(rand.NewPCG(uint64(rows), 1)) // a pattern might be the same again a lane further on
	for i := range src.Bytes {
		src.Bytes[i] = byte(rng.Uint32())
	}
	out, sent := b[0].Offer(1, &btl.Header{Tag: 3}, &src.Buffer)
	require.True(t, sent)
	require.Equal(t, 1, b[1].Poll(1, func(f *btl.Frame) { in = b[1].Accept(f, &dst.Buffer) }))
	require.NotNil(t, in)
	require.Equal(t, wayPiped, in.(*recvTransfer).way)
	return root, b, src, dst, out, in
}

// same compares the elements of two columns.
func same(t *testing.T, want, got *column) {
	for i := 0; i < len(want.Bytes); i += 72 {
		require.Equal(t, want.Bytes[i:i+8], got.Bytes[i:i+8], "row %d", i/72)
		require.Zero(t, got.Bytes[i+8], "the gap behind row %d", i/72)
	}
}

// TestStagedWithoutSender: a sender that computes does not hold up the receiver.
func TestStagedWithoutSender(t *testing.T) {
	_, b, src, dst, out, in := staged(t, 16<<10)
	looks, done, err := 0, false, error(nil)
	for ; !done && looks < 2*b[1].patience; looks++ {
		done, err = in.Progress()
		require.NoError(t, err)
	}
	require.True(t, done, "after %d looks", looks)
	same(t, src, dst)
	require.Zero(t, b[1].Counters().PipelinedBytes)
	done, err = out.Progress()
	require.NoError(t, err)
	require.True(t, done)
	require.EqualValues(t, 1<<lanes-1, b[0].freeLane, "the lane was given back")
	require.False(t, b[0].peers[1].piped, "no blocks are filled for other messages")
}

// TestStagedParts: a part of a message ends with the lane, wherever the parts before it have ended.
func TestStagedParts(t *testing.T) {
	testkit.OneGoroutine(t)
	const lane = laneBlocks * job.DefaultRingBlock
	for eighths := range 20 {
		_, b, src, dst, out, in := staged(t, int64((lane+eighths*lane/8-24)/8))
		finish(t, out, in)
		same(t, src, dst)
		require.EqualValues(t, src.Len(), b[1].Counters().PipelinedBytes, "nothing was overtaken")
	}
}

// TestStagedSenderGone: what a sender has not packed is lost with it.
func TestStagedSenderGone(t *testing.T) {
	root, _, _, _, _, in := staged(t, 16<<10)
	root.MarkGone(0)
	var err error
	for done := false; !done; {
		done, err = in.Progress()
	}
	var lost *fault.LostError
	require.ErrorAs(t, err, &lost)
}

// TestStagedSteps: both ends make their steps in any order.
func TestStagedSteps(t *testing.T) {
	testkit.OneGoroutine(t)
	rng := rand.New(rand.NewPCG(3, 4))
	overtaken := 0
	for range 50 {
		_, b, src, dst, out, in := staged(t, int64(2<<10+rng.IntN(16<<10)))
		b[1].patience = 1 + rng.IntN(8)
		r, sent, received := in.(*recvTransfer), false, false
		for !sent || !received {
			var err error
			if rng.IntN(2) == 0 && !sent {
				sent, err = out.Progress()
			} else if !received {
				if received, err = in.Progress(); !received && r.way == wayShared {
					overtaken++
				}
			}
			require.NoError(t, err)
		}
		same(t, src, dst)
	}
	require.Positive(t, overtaken)
}
