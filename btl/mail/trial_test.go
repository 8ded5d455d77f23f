package mail

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/sys"
	"github.com/gopvas/gopvas/job"
)

// TestTrial: the first long messages come by turns by either way, and then all by that
// which was faster; shorter ones come by process_vm_readv, and say so to the sender, which
// does not fill blocks in vain.
func TestTrial(t *testing.T) {
	probe := []byte{1}
	if _, err := sys.ReadProcess(os.Getpid(), sys.AddrOf(probe), make([]byte, 1)); err != nil {
		t.Skipf("process_vm_readv: %v", err)
	}
	root, b := boxes(t, 2, false, job.Settings{})
	require.NoError(t, root.Claim(1, os.Getpid()))
	src, dst := make([]byte, trialFrom), make([]byte, trialFrom)
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
	var cma, piped uint64
	for range trialTurns {
		c, p := move(trialFrom)
		cma, piped = cma+c, piped+p
	}
	require.EqualValues(t, trialTurns/2, cma)
	require.EqualValues(t, trialTurns/2, piped)
	faster, _ := move(trialFrom)
	require.Equal(t, b[0].trial.best[1] <= b[0].trial.best[0], faster == 1)
	for range 5 {
		again, _ := move(trialFrom)
		require.Equal(t, faster, again)
	}
	short, _ := move(trialFrom / 2)
	require.EqualValues(t, 1, short)
	require.False(t, b[1].peers[0].piped)
}
