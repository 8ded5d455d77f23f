package mail

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/job"
)

// TestSendDoesNotWaitForAReceiverThatIsTaking: the receiver was stopped, or killed, between
// its word that it takes the message and the end of that.
func TestSendDoesNotWaitForAReceiverThatIsTaking(t *testing.T) {
	for _, killed := range []bool{false, true} {
		root, b := boxes(t, 2, true, job.Settings{})
		require.True(t, b[0].zeroCopy)
		require.Empty(t, b[0].sending, "a rank that has sent nothing has no transfers")
		first := b[0].transfer()
		b[0].unused = append(b[0].unused, uint32(first.number))
		first.d.taking.Store(first.generation + 1)
		src := make([]byte, 1000)
		src[999] = 7
		transfer, sent := b[0].Send(1, &btl.Header{Tag: 3}, src)
		require.True(t, sent)
		require.NotNil(t, transfer, "the payload is still lent")
		done, err := transfer.Progress()
		require.NoError(t, err)
		require.False(t, done)
		if killed {
			root.MarkGone(1)
			done, err = transfer.Progress()
			var lost *job.LostError
			require.ErrorAs(t, err, &lost)
			require.True(t, done)
			continue
		}
		dst := make([]byte, 1000)
		require.Equal(t, 1, b[1].Poll(1, func(f *btl.Frame) {
			require.True(t, f.Offered)
			require.Nil(t, b[1].Accept(f, &btl.Buffer{Bytes: dst}))
		}))
		require.Equal(t, src, dst)
		done, err = transfer.Progress()
		require.NoError(t, err)
		require.True(t, done)
		require.Empty(t, b[0].fallenBack, "the transfer was finished by its owner")
	}
}
