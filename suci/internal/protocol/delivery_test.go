package protocol

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Blocks of 16 KiB, one after the other, tell the rate, too: the pauses between them do not count.
func TestRateOfShortStretches(t *testing.T) {
	const packet, perSecond = 1400, 12_500_000
	var d delivery
	now, samples := Time(1), 0
	for range 20 {
		for i := range 12 {
			now += Time(packet * 1e9 / perSecond)
			if d.note(now, packet, i < 11) > 0 {
				samples++
			}
		}
		now += Second
	}
	require.InEpsilon(t, perSecond, d.rate, 0.01)
	require.Equal(t, 20*11*packet/deliverySample, samples)
}

// A stretch of a few packets tells nothing: they may have come together.
func TestNoRateOfAFewPackets(t *testing.T) {
	var d delivery
	now := Time(1)
	for range 1000 {
		now += Second
		require.Zero(t, d.note(now, 1400, true))
		require.Zero(t, d.note(now+1, 1400, true))
		require.Zero(t, d.note(now+2, 1400, false))
	}
	require.Zero(t, d.rate)
}
