package protocol

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// One sender fills links of 100 Mbit/s to 10 Gbit/s; frames and headers take 6.4 %.
func TestBulk(t *testing.T) {
	for _, rate := range []int{12.5e6, 125e6, 1250e6} {
		t.Run(fmt.Sprintf("rate=%d", rate), func(t *testing.T) {
			const blocks, length = 16, 1 << 20
			n := newNetwork(t, 3)
			n.rate, n.buffer = rate, 1<<20
			a, b := n.start(nil), n.start(nil)
			finished := 0
			for i := range uint32(blocks) {
				a.sendTo(b, 0, block(i, length), func(err error) { require.NoError(t, err); finished++ })
			}
			start := n.now
			n.run(20*Second, "all blocks", func() bool { return finished == blocks })
			share := blocks * length * 1e9 / float64(n.now-start) / float64(rate)
			t.Logf("%.1f %% of the link, %d packets, round trip %d us", 100*share, n.packets,
				a.m.peers[1].rtt.smooth/1000)
			require.Greater(t, share, 0.9)
			require.Zero(t, a.m.count.Resent)
			require.InEpsilon(t, 0.936*float64(rate), a.m.peers[1].Flow(n.now).Rate, 0.1, "measured rate")
		})
	}
}
