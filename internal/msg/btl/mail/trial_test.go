package mail

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/node/job"
)

// TestTrial: the first messages of each class of lengths come by turns by either way, and then those
// of a pause by that which was faster. So it is again after each pause. Short messages come by
// process_vm_readv, and say so to the sender, which does not fill blocks in vain.
func TestTrial(t *testing.T) {
	skipWithoutCMA(t)
	root, b := boxes(t, 2, false, job.Settings{})
	require.NoError(t, root.Claim(1, os.Getpid()))
	src, dst := make([]byte, 4*trialFrom), make([]byte, 4*trialFrom)
	for i := range src {
		src[i] = byte(i % 251)
	}
	move := func(n int) (cma, piped uint64) {
		before := b[0].Counters()
		clear(dst)
		s, ok := b[1].Offer(0, &btl.Header{}, &btl.Buffer{Bytes: src[:n]})
		require.True(t, ok)
		var r btl.Transfer
		b[0].Poll(1, func(f *btl.Frame) { r = b[0].Accept(f, &btl.Buffer{Bytes: dst}) })
		for sent := false; !sent || r != nil; {
			var err error
			if !sent {
				sent, err = s.Progress()
				require.NoError(t, err)
			}
			if r != nil {
				done, err := r.Progress()
				require.NoError(t, err)
				if done {
					r = nil
				}
			}
		}
		require.Equal(t, src[:n], dst[:n])
		after := b[0].Counters()
		return after.CMACopied - before.CMACopied, after.PipelinedCopied - before.PipelinedCopied
	}
	for _, n := range []int{trialFrom, 2 * trialFrom} {
		trial := b[0].trials.of(n)
		for range 3 {
			before := *trial
			var cma, piped uint64
			for range trialTurns {
				c, p := move(n)
				cma, piped = cma+c, piped+p
			}
			require.EqualValues(t, trialTurns/2, cma)
			require.EqualValues(t, trialTurns/2, piped)
			pause := firstPause
			if trial.winner == before.winner {
				pause = 2 * before.pause
			}
			require.Equal(t, pause, trial.pause)
			for left := trial.pause; left > 0; left-- {
				require.Equal(t, left, trial.left)
				cma, _ := move(2*n - 1) // of the same class
				require.Equal(t, trial.winner == wayCMA, cma == 1)
			}
		}
	}
	b[0].trials.of(1 << 40) // is in the last
	short, _ := move(trialFrom / 2)
	require.EqualValues(t, 1, short)
	require.False(t, b[1].peers[0].piped)
}
