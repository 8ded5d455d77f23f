package comm

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/msg/coll"
	"github.com/gopvas/gopvas/internal/msg/pml"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
)

// looking counts how often a rank looks for messages.
type looking struct {
	*mem.Module
	looks int
}

func (l *looking) Poll(max int, deliver func(*btl.Frame)) int {
	l.looks++
	return l.Module.Poll(max, deliver)
}

// TestSettleAsksFew: however many communicators wait for members, a call asks a few of them, in turn. So each has
// its turn, and those whose members are done are used again.
func TestSettleAsksFew(t *testing.T) {
	const n = 1000
	memory := jobtest.Create(t, job.Config{Ranks: 2, BTL: job.BTLSM, CPUs: 2})
	w := mem.New(memory.Root(), mem.Options{})
	m := &looking{Module: w.Module(0)}
	e, peer := pml.New(memory.Root(), 0, m), pml.New(memory.Root(), 1, w.Module(1))
	c := newContexts(0, 2)
	for tag := range n {
		freed := &Comm{team: &coll.Team{Engine: e}, membership: membership{members: nobody},
			context: pointToPoint.of(uint32(tag + 1))}
		r := &retirement{comm: freed, settled: true, above: -1}
		request, err := e.Irecv(0, 1, tag, nil)
		require.NoError(t, err)
		r.below = append(r.below, request)
		c.retire(r)
	}
	for range 10 {
		before := m.looks
		c.settle()
		require.LessOrEqual(t, m.looks-before, settleLooks)
	}
	require.Len(t, c.retired, n)
	require.NoError(t, peer.Send(0, 0, n/2, nil, pml.Standard))
	for range n/settleLooks + 1 {
		c.settle()
	}
	require.Equal(t, []uint32{n/2 + 1}, c.own.returned)
	require.Len(t, c.retired, n-1)
}
