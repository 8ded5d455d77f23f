package coll

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Another goroutine finds calls while this one goes on with calls like the last one, without the lock.
func TestCallsAreFoundWhileTheyGoOn(t *testing.T) {
	var h history
	h.add(1, 7, 8, &Args{}, none, 2)
	turns, done := make(chan uint64), make(chan struct{})
	go func() {
		defer close(done)
		for turn := range turns {
			m, known := h.find(turn)
			assert.True(t, known && len(m.answer(0)) == answerBytes)
		}
	}()
	for turn := uint64(1); turn < 100; turn++ {
		turns <- turn
		require.True(t, h.goOn(turn+1, 7, 8, nil, false))
	}
	close(turns)
	<-done
}

// A call that lies too far back is known, and has no kind. One that was not made is not known.
func TestCallsThatAreForgotten(t *testing.T) {
	var h history
	_, known := h.find(1)
	require.False(t, known)
	for turn := uint64(1); turn <= remembered+1; turn++ {
		h.add(turn, uint64(Bcast)<<callKindAt|turn, 8, &Args{}, none, 2)
	}
	m, known := h.find(1)
	require.True(t, known)
	require.Equal(t, None, m.kind())
	m, known = h.find(2)
	require.True(t, known)
	require.Equal(t, Bcast, m.kind())
	_, known = h.find(remembered + 2)
	require.False(t, known)
}
