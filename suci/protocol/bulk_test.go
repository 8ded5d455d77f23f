package protocol

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBulk(t *testing.T) {
	for _, rate := range []int{12.5e6, 125e6, 1250e6} {
		n := newNetwork(t, 3)
		n.rate, n.buffer = rate, 1<<20
		a, b := n.start(nil), n.start(nil)
		finished := 0
		for i := range uint32(16) {
			a.sendTo(b, 0, block(i, 1<<20), func(err error) { require.NoError(t, err); finished++ })
		}
		start := n.now
		n.run(20*Second, "all", func() bool { return finished == 16 })
		took := n.now - start
		p := a.m.peers[1]
		t.Logf("rate %d: %.1f %% of it, window %d, budget %d, rtt %v turn %v least %v, acks %d sends %d probes %d", rate, 16*(1<<20)*1e9/float64(took)*100/float64(rate), p.control.window, b.m.budget.window, p.rtt.smooth, b.m.turn.smooth, b.m.turn.least(), b.m.count.Acks, n.packets, a.m.count.Probes)
	}
}
