package mail

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestClaims: each byte is in one chunk, however the claims of the two ends meet.
func TestClaims(t *testing.T) {
	for _, c := range []cut{
		{take: 0}, {take: 1}, {take: minChunk}, {take: minChunk + 1}, {take: 100_000}, {take: 2 * maxChunk},
		{take: 10*maxChunk + 1}, {take: 1 << 10, typed: true}, {take: 123_457, typed: true},
		{take: 123_457, typed: true, staged: true},
	} {
		var d descriptor
		claimed := [2][]chunk{}
		var ends sync.WaitGroup
		for end := range claimed {
			ends.Go(func() {
				for {
					k := d.claim(end == 0, c)
					if k.from == k.to {
						return
					}
					claimed[end] = append(claimed[end], k)
				}
			})
		}
		ends.Wait()
		next := uint64(0)
		take := func(k chunk) {
			require.Equal(t, next, k.from, "%+v", c)
			require.LessOrEqual(t, k.to, c.take)
			require.Equal(t, c.typed && !c.staged, k.parts != 0)
			if k.parts != 0 {
				require.EqualValues(t, c.chunks(), k.parts)
				require.EqualValues(t, k.from/c.size(), k.part)
			}
			next = k.to
		}
		for _, k := range claimed[0] {
			take(k)
		}
		for i := range claimed[1] {
			take(claimed[1][len(claimed[1])-1-i])
		}
		require.Equal(t, c.take, next, "%+v", c)
	}
}

// TestEndsKeepTheirHalves: the end of the lower rank copies the first half, whichever end is first.
func TestEndsKeepTheirHalves(t *testing.T) {
	c := cut{take: 64 << 10}
	var d, e descriptor
	require.Equal(t, chunk{to: 32 << 10, take: c.take}, d.claim(true, c))
	require.Equal(t, chunk{from: 32 << 10, to: c.take, take: c.take}, d.claim(false, c))
	require.Equal(t, chunk{from: 32 << 10, to: c.take, take: c.take}, e.claim(false, c))
	require.Equal(t, chunk{to: 32 << 10, take: c.take}, e.claim(true, c))
	require.Zero(t, e.claim(true, c))
	require.Zero(t, e.claim(false, c))
}
