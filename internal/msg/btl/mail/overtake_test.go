package mail

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// skipWithoutCMA skips a test that needs process_vm_readv.
func skipWithoutCMA(t *testing.T) {
	t.Helper()
	probe := []byte{1}
	if _, err := sys.ReadProcess(os.Getpid(), sys.AddrOf(probe), make([]byte, 1)); err != nil {
		t.Skipf("process_vm_readv: %v", err)
	}
}

// overtaking returns two boxes of processes of which rank 0 takes messages of n bytes by the pipeline.
func overtaking(t *testing.T, works bool) (b []*Box, n int) {
	skipWithoutCMA(t)
	root, b := boxes(t, 2, false, job.Settings{})
	require.NoError(t, root.Claim(1, os.Getpid()))
	root.NoteCMA(works)
	return b, 3*b[1].block + 100
}

// offered has rank 1 offer a message that rank 0 takes by the pipeline.
func offered(t *testing.T, b []*Box, src, dst []byte) (out, in btl.Transfer) {
	for i := range src {
		src[i] = byte(i>>8 + i)
	}
	out, ok := b[1].Offer(0, &btl.Header{}, &btl.Buffer{Bytes: src})
	require.True(t, ok)
	require.Equal(t, 1, b[0].Poll(1, func(f *btl.Frame) { in = b[0].Accept(f, &btl.Buffer{Bytes: dst}) }))
	require.Equal(t, wayPiped, in.(*recvTransfer).way)
	return out, in
}

// TestBusySenderIsNotOvertaken: a sender that fills the blocks of one message does not compute.
func TestBusySenderIsNotOvertaken(t *testing.T) {
	b, n := overtaking(t, true)
	n *= 2
	*b[0].trials.of(n) = trial{winner: wayPiped, pause: 10, left: 10}
	src, dst := make([]byte, n), make([]byte, n)
	first, firstIn := offered(t, b, src, dst)
	_, secondIn := offered(t, b, make([]byte, n), make([]byte, n))
	for firstDone := false; !firstDone; {
		_, err := first.Progress() // one block
		require.NoError(t, err)
		firstDone, err = firstIn.Progress()
		require.NoError(t, err)
		for range readPatience - 10 {
			done, err := secondIn.Progress()
			require.NoError(t, err)
			require.False(t, done)
		}
	}
	require.Equal(t, src, dst)
	require.Zero(t, b[0].Counters().CMACopied)
	done, err := false, error(nil)
	for range 11 {
		done, err = secondIn.Progress()
		require.NoError(t, err)
	}
	require.True(t, done, "the sender is at work no more")
}

// TestSenderThatCannotBeRead: the receiver waits for the blocks if it is refused.
func TestSenderThatCannotBeRead(t *testing.T) {
	b, n := overtaking(t, true)
	*b[0].trials.of(n) = trial{winner: wayPiped, pause: 10, left: 10}
	src, dst := make([]byte, n), make([]byte, n)
	out, in := offered(t, b, src, dst)
	in.(*recvTransfer).addr = 8 // where nothing is
	for range 3 * readPatience {
		done, err := in.Progress()
		require.NoError(t, err)
		require.False(t, done)
	}
	finish(t, in, out)
	require.Equal(t, src, dst)
	require.Zero(t, b[0].Counters().CMACopied)
}

// finish has both ends of a message make steps in turn until both are done.
func finish(t *testing.T, first, second btl.Transfer) {
	t.Helper()
	ends, done := [2]btl.Transfer{first, second}, [2]bool{}
	for looks := 0; !done[0] || !done[1]; looks++ {
		require.Less(t, looks, 100_000, "it does not end")
		for i, end := range ends {
			if done[i] {
				continue
			}
			var err error
			done[i], err = end.Progress()
			require.NoError(t, err)
		}
	}
}

// TestComputingSenderIsOvertaken: between processes a receiver that has chosen the pipeline goes on
// by process_vm_readv when the sender stops filling, at any block. It does not where it must not.
func TestComputingSenderIsOvertaken(t *testing.T) {
	for _, test := range []struct {
		blocks int // that the sender fills
		works  bool
	}{{0, true}, {1, true}, {3, true}, {1, false}} {
		b, n := overtaking(t, test.works)
		trial := b[0].trials.of(n)
		trial.turn = trialTurns - 2 // the pipeline's
		src, dst := make([]byte, n), make([]byte, n)
		out, in := offered(t, b, src, dst)
		for range test.blocks {
			done, err := out.Progress()
			require.NoError(t, err)
			require.False(t, done)
		}
		looks, done, err := 0, false, error(nil)
		for ; !done && looks < 2*readPatience; looks++ {
			done, err = in.Progress()
			require.NoError(t, err)
		}
		require.Equal(t, test.works, done)
		if !done {
			continue
		}
		require.Equal(t, src, dst)
		require.EqualValues(t, 1, b[0].Counters().CMACopied)
		require.NotZero(t, trial.best[0], "that was the time of the pipeline")
		require.Zero(t, trial.best[1])
		done, err = out.Progress()
		require.NoError(t, err)
		require.True(t, done)
		require.EqualValues(t, 1<<lanes-1, b[1].freeLane, "the lane was given back")
		require.False(t, b[1].peers[0].piped, "no blocks are filled for other messages")
	}
}
