package mail

import (
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/mpi/fault"
)

// refusing is memory of peers that can no longer be attached.
type refusing struct{ btl.Memory }

var errRefused = errors.New("refused")

func (refusing) Attach(int, uint64, int) ([]byte, error) { return nil, errRefused }

// TestMemoryThatCannotBeAttached: a receive fails if its bytes are in memory that cannot be attached. Its sender
// gets its descriptor and its buffer back, and other messages come.
func TestMemoryThatCannotBeAttached(t *testing.T) {
	_, b := boxes(t, 2, true, job.Settings{})
	dst := make([]byte, 1000)
	out, ok := b[0].Offer(1, &btl.Header{}, &btl.Buffer{Bytes: make([]byte, 1000)})
	require.True(t, ok)
	require.True(t, out.(*sendTransfer).FallBack())
	var f btl.Frame
	require.Equal(t, 1, b[1].Poll(1, func(frame *btl.Frame) { f = *frame }))
	memory := b[1].mem
	b[1].mem = refusing{memory}
	in := b[1].Accept(&f, &btl.Buffer{Bytes: dst})
	require.NotNil(t, in, "the bytes are not there")
	done, err := in.Progress()
	require.True(t, done)
	require.ErrorIs(t, err, errRefused)
	b[0].reap()
	require.Empty(t, b[0].fallenBack)

	b[1].mem = memory
	src, _ := attempts(t, b[0], 5)
	require.Equal(t, src[999], takes(t, b[1], true))
}

// TestFailedReceiveIsOver: when the first step of a receive has failed its sender goes on. What the sender
// then sends by the same descriptor is not touched by the receive.
func TestFailedReceiveIsOver(t *testing.T) {
	skipWithoutCMA(t)
	root, b := boxes(t, 3, false, job.Settings{SingleCopy: job.SingleCopyCMA})
	require.NoError(t, root.Claim(1, os.Getpid()))
	src, dst := make([]byte, 20_000), make([]byte, 20_000)
	offer := func(to int) (out *sendTransfer) {
		transfer, ok := b[1].Offer(to, &btl.Header{}, &btl.Buffer{Bytes: src})
		require.True(t, ok)
		return transfer.(*sendTransfer)
	}
	ends := func(transfer btl.Transfer) {
		t.Helper()
		done, err := transfer.Progress()
		require.NoError(t, err)
		require.True(t, done)
	}
	first := offer(0)
	number := first.number
	var failed btl.Transfer
	require.Equal(t, 1, b[0].Poll(1, func(f *btl.Frame) {
		f.Place = 8 // where nothing is
		failed = b[0].Accept(f, &btl.Buffer{Bytes: dst})
	}))
	require.NotNil(t, failed)
	ends(first)

	second := offer(2)
	require.Equal(t, number, second.number)
	require.Equal(t, 1, b[2].Poll(1, func(f *btl.Frame) { require.Nil(t, b[2].Accept(f, &btl.Buffer{Bytes: dst})) }))
	done, err := failed.Progress()
	require.True(t, done)
	require.ErrorContains(t, err, "is not mapped")
	ends(second)
}

// TestSenderThatIsReaped: another process may have the pid of the sender already. No byte that is read by that pid
// counts, and the receive fails when the sender is known to be gone.
func TestSenderThatIsReaped(t *testing.T) {
	skipWithoutCMA(t)
	for _, steps := range []int{0, 1} { // before it is reaped
		root, b := boxes(t, 2, false, job.Settings{SingleCopy: job.SingleCopyCMA})
		require.NoError(t, root.Claim(1, os.Getpid()))
		src, dst := make([]byte, maxRead+steps*maxRead/2), make([]byte, 2*maxRead)
		out, ok := b[1].Offer(0, &btl.Header{}, &btl.Buffer{Bytes: src})
		require.True(t, ok)
		if steps == 0 {
			root.Reaping(os.Getpid())
		}
		var in btl.Transfer
		require.Equal(t, 1, b[0].Poll(1, func(f *btl.Frame) { in = b[0].Accept(f, &btl.Buffer{Bytes: dst}) }))
		require.NotNil(t, in)
		root.Reaping(os.Getpid())
		for range 3 {
			done, err := in.Progress()
			require.NoError(t, err)
			require.False(t, done)
		}
		root.MarkGone(1)
		done, err := in.Progress()
		require.True(t, done)
		var lost *fault.LostError
		require.ErrorAs(t, err, &lost)
		require.Zero(t, b[0].Counters().CMACopied)
		require.NotNil(t, out)
	}
}
