package mail

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/mpi/fault"
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
		require.NotNil(t, transfer, "the payload still belongs to the message")
		done, err := transfer.Progress()
		require.NoError(t, err)
		require.False(t, done)
		if killed {
			root.MarkGone(1)
			done, err = transfer.Progress()
			var lost *fault.LostError
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

// attempts begins a zero-copy attempt of 1,000 bytes to rank 1, and returns its transfer.
func attempts(t *testing.T, b *Box, tag int32) (src []byte, transfer btl.Transfer) {
	src = make([]byte, 1000)
	src[999] = byte(tag)
	transfer, sent := b.SendZeroCopy(1, &btl.Header{Tag: tag}, src)
	require.True(t, sent)
	return src, transfer
}

// takes has a rank take its next message, and returns its last byte.
func takes(t *testing.T, b *Box, offered bool) byte {
	dst := make([]byte, 1000)
	require.Equal(t, 1, b.Poll(1, func(f *btl.Frame) {
		require.Equal(t, offered, f.Offered)
		if offered {
			require.Nil(t, b.Accept(f, &btl.Buffer{Bytes: dst}))
			return
		}
		copy(dst, f.Payload)
		b.Release(f)
	}))
	return dst[999]
}

func TestPendingAttempts(t *testing.T) {
	_, b := boxes(t, 2, true, job.Settings{})
	_, first := attempts(t, b[0], 2)
	done, _ := first.Progress()
	require.False(t, done)
	require.EqualValues(t, 2, takes(t, b[1], true))
	done, err := first.Progress()
	require.True(t, done)
	require.NoError(t, err)
	require.Empty(t, b[0].fallenBack)

	src, transfer := attempts(t, b[0], 3)
	looks := 0
	require.NoError(t, b[0].Sleep(func() bool { // nobody wakes the sender, which has to come back by itself
		looks++
		done, err = transfer.Progress()
		require.NoError(t, err)
		return done
	}, nil))
	require.Equal(t, pendingLooks, looks)
	clear(src)
	require.EqualValues(t, 3, takes(t, b[1], true), "from the buffer")

	_, next := attempts(t, b[0], 4)
	require.Nil(t, next, "the receiver was late, so the next message is copied at once")
	require.EqualValues(t, 4, takes(t, b[1], false))
	_, next = attempts(t, b[0], 5)
	require.NotNil(t, next)
	require.EqualValues(t, 5, takes(t, b[1], true))
}

// TestPendingAttemptsFailTogether: a late receiver lets all attempts of a row of sends fail. That counts as one
// failure.
func TestPendingAttemptsFailTogether(t *testing.T) {
	_, b := boxes(t, 2, true, job.Settings{})
	var pending []btl.Transfer
	for tag := range int32(4) {
		_, transfer := attempts(t, b[0], tag)
		require.NotNil(t, transfer)
		pending = append(pending, transfer)
	}
	for i, transfer := range pending {
		for done := false; !done; {
			done, _ = transfer.Progress()
		}
		if i == 0 {
			_, copied := attempts(t, b[0], 4)
			require.Nil(t, copied, "one message is copied at once")
		}
	}
	_, transfer := attempts(t, b[0], 5)
	require.NotNil(t, transfer)
}

// TestPendingAttemptIsLookedAt: a rank that makes an attempt in its last look before it sleeps looks again, until the
// message has fallen back. Nobody would notify it.
func TestPendingAttemptIsLookedAt(t *testing.T) {
	_, b := boxes(t, 2, true, job.Settings{})
	_, transfer := attempts(t, b[0], 7)
	for done := false; !done; {
		require.True(t, b[0].More())
		done, _ = transfer.Progress()
	}
	require.EqualValues(t, 7, takes(t, b[1], true))
}

// TestPendingAttemptWithoutBuffers: the message falls back to a copy on the heap.
func TestPendingAttemptWithoutBuffers(t *testing.T) {
	_, b := boxes(t, 2, true, job.Settings{})
	src, transfer := attempts(t, b[0], 7)
	for held := true; held; {
		_, held = b[0].takeBuffer(b[0].peers[1], 1000)
	}
	for look := range pendingLooks {
		done, err := transfer.Progress()
		require.NoError(t, err)
		require.Equal(t, look == pendingLooks-1, done)
	}
	clear(src)
	runtime.GC()
	require.EqualValues(t, 7, takes(t, b[1], true))
	b[0].reap()
	require.Empty(t, b[0].fallenBack)
}

// TestSendsThatCross: two ranks send at the same time. None of them looks in vain for the other.
func TestSendsThatCross(t *testing.T) {
	_, b := boxes(t, 2, true, job.Settings{})
	require.True(t, sends(b[1], 0, btl.Header{Tag: 1}, nil))
	src := make([]byte, 1000)
	src[999] = 9
	transfer, sent := b[0].Send(1, &btl.Header{Tag: 2}, src)
	require.True(t, sent)
	require.NotNil(t, transfer, "pending, as there is a message to take")
	require.Equal(t, []int32{1}, tags(b[0]))
	require.EqualValues(t, 9, takes(t, b[1], true))
	done, err := transfer.Progress()
	require.NoError(t, err)
	require.True(t, done)
}

// TestLateReceiverOfLongEagerMessage: a message that has fallen back is taken from the buffer, also if it is so long
// that both ends would copy it if it were offered.
func TestLateReceiverOfLongEagerMessage(t *testing.T) {
	const n = 16000
	for name, typed := range map[string]bool{"contiguous": false, "layout at the receiver": true} {
		t.Run(name, func(t *testing.T) {
			shareFrom := n / 2
			if typed {
				shareFrom = job.DefaultShareFrom // an eighth of it with a layout
			}
			_, b := boxes(t, 2, true, job.Settings{EagerLimit: 2 * n, Thresholds: job.Thresholds{ShareFrom: shareFrom}})
			src := bytes.Repeat([]byte{7}, n)
			transfer, sent := b[0].SendZeroCopy(1, &btl.Header{Tag: 1}, src)
			require.True(t, sent)
			require.NotNil(t, transfer)
			for done := false; !done; {
				var err error
				done, err = transfer.Progress()
				require.NoError(t, err)
			}
			clear(src)
			buf := btl.Buffer{Bytes: make([]byte, n)}
			if typed {
				buf = newColumn(t, n/8).Buffer
			}
			require.Equal(t, 1, b[1].Poll(1, func(f *btl.Frame) { require.Nil(t, b[1].Accept(f, &buf)) }))
			got := make([]byte, n)
			buf.Pack(got, 0)
			require.Equal(t, bytes.Repeat([]byte{7}, n), got)
		})
	}
}
