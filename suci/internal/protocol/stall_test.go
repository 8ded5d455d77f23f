package protocol

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A burst of more packets than the window has become since is lost. The receiver asks for as many as its
// budget allows, again and again the same ones. The others, of which it says that they are missing, must
// not count as under way: else the sender would never send those that it was asked for.
func TestLossOfMoreThanTheWindow(t *testing.T) {
	n := newNetwork(t, 43)
	a, b := n.start(nil), n.start(nil)
	finished := 0
	send := func(i uint32, length int) {
		a.sendTo(b, 2, block(i, length), func(err error) { require.NoError(t, err); finished++ })
	}
	for i := range uint32(10) { // the window becomes large
		send(i, 1<<20)
		n.run(Second, "a block", func() bool { return finished == int(i)+1 })
	}
	p := a.m.peers[b.m.config.Self]
	send(10, 1<<20)
	n.run(Second, "much under way", func() bool { return p.underWay > 40 })
	n.queue = n.queue[:0]
	p.control.window, p.control.cut = p.control.least, true
	b.m.grants.budget.window = b.m.grants.budget.least
	n.run(5*Second, "the block", func() bool { return finished == 11 })
}
