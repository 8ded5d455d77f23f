package mail

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/node/job"
)

// A benchmark may have messages of a megabyte go as short ones do.
func TestLongBuffers(t *testing.T) {
	_, b := boxes(t, 2, false, job.Settings{EagerLimit: 1 << 20})
	payload := bytes.Repeat([]byte{7, 1, 5}, 1<<20/3)
	require.True(t, sends(b[0], 1, btl.Header{}, payload))
	require.EqualValues(t, 1, b[0].counters.EagerSent)
	require.Equal(t, 1, b[1].Poll(1, func(f *btl.Frame) { require.True(t, bytes.Equal(payload, f.Payload)) }))
}

// TestBufferGrows: the only buffer of a pair is as long as its longest message needs. Short buffers of
// several pairs share a page. A buffer that the receiver has is not replaced.
func TestBufferGrows(t *testing.T) {
	_, b := boxes(t, 16, false, job.Settings{EagerLimit: 60 << 10})
	require.Equal(t, 1, b[0].buffers)
	require.Equal(t, 61440, b[0].bufferSize)
	var held btl.Frame
	send := func(to, n int) bool {
		payload := bytes.Repeat([]byte{byte(n)}, n)
		if !sends(b[0], to, btl.Header{Tag: int32(n)}, payload) {
			return false
		}
		require.Equal(t, 1, b[to].Poll(1, func(f *btl.Frame) {
			require.Equal(t, payload, f.Payload)
			held = *f
		}))
		return true
	}
	strides := map[int]uint32{129: 256, 300: 512, 513: 1024, 1024: 1024, 200: 1024, 1025: 2048, 5000: 8192,
		60 << 10: 61440, 2000: 61440}
	for _, n := range []int{129, 300, 513, 1024, 200, 1025, 5000, 60 << 10, 2000} {
		for to := 1; to <= 2; to++ {
			require.True(t, send(to, n))
			require.Equal(t, strides[n], b[0].peers[to].buffers.stride)
			require.False(t, send(to, min(2*n, 60<<10)), "the receiver has the buffer")
			b[to].Release(&held)
		}
		first, second := b[0].peers[1].buffers, b[0].peers[2].buffers
		if 4*first.stride <= rowPiece {
			require.Equal(t, first.at+uint64(first.stride), second.at)
		}
	}
}
