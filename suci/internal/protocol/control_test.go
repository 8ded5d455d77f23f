package protocol

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLossesByChance: losses cut a sender's window unless queues were nearly empty and they are few.
func TestLossesByChance(t *testing.T) {
	const packet, base = 1000, 100 * Microsecond
	now := Time(0)
	epoch := func(c *control, trip Time) {
		now += trip
		c.round(trip)
		c.sent(c.window)
		c.arrive(now, c.window, packet, base)
	}
	for _, who := range []struct {
		name    string
		control control
		trip    Time
		lost    int // eighths of the window
		cut     bool
	}{
		{"no queue", new(Config).newSendControl(packet), base, 1, false},
		{"no queue, but many", new(Config).newSendControl(packet), base, 2, true},
		{"half a round trip in a queue", new(Config).newSendControl(packet), base * 3 / 2, 1, true},
		{"a long queue", new(Config).newSendControl(packet), 10 * base, 1, true},
		{"a receiver's", new(Config).newBudget(), base, 1, true},
	} {
		t.Run(who.name, func(t *testing.T) {
			c := who.control
			require.True(t, c.lose(1), "the first loss ends the beginning")
			epoch(&c, who.trip) // of the cut
			epoch(&c, who.trip)
			before := c.window
			require.Equal(t, who.cut, c.lose(before*who.lost/8))
			if who.cut {
				require.Equal(t, max(c.least, before*7/10), c.window)
				require.False(t, c.lose(packet), "once in an epoch")
				return
			}
			epoch(&c, who.trip)
			require.Equal(t, before+packet, c.window)
			require.True(t, c.lose(c.window/8+1), "the sum of an epoch counts")
		})
	}
}
