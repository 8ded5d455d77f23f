package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/lab/loggps/pattern"
	"github.com/gopvas/gopvas/loggps"
	"github.com/gopvas/gopvas/loggps/graph"
)

// corpus is programs that complete thanks to buffering, whether they also complete without
// it, and the ranks of the circle if they do not.
var corpus = []struct {
	name  string
	ranks int
	run   func(m pattern.Member)
	cycle []int32 // of a synchronous run; nil: it completes
}{
	{"ping-pong", 2, func(m pattern.Member) { m.PingPong(8, 3) }, nil},
	{"ring, passed on", 5, func(m pattern.Member) { m.Ring(8) }, nil},
	{"both send first", 2, func(m pattern.Member) { m.Send(8, 1-m.Rank); m.Recv(8, 1-m.Rank) }, []int32{0, 1}},
	{"both send an empty message first", 2, func(m pattern.Member) { m.Send(0, 1-m.Rank); m.Recv(0, 1-m.Rank) },
		[]int32{0, 1}},
	{"one receives first", 2, func(m pattern.Member) {
		if m.Rank == 0 {
			m.Send(8, 1)
			m.Recv(8, 1)
		} else {
			m.Recv(8, 0)
			m.Send(8, 0)
		}
	}, nil},
	{"receives begun before", 2, func(m pattern.Member) {
		q := m.Irecv(8, 1-m.Rank)
		m.Send(8, 1-m.Rank)
		m.Wait(q)
	}, nil},
	{"sends begun before", 2, func(m pattern.Member) {
		q := m.Isend(8, 1-m.Rank)
		m.Recv(8, 1-m.Rank)
		m.Wait(q)
	}, nil},
	{"sends begun and awaited too early", 2, func(m pattern.Member) {
		m.Wait(m.Isend(8, 1-m.Rank))
		m.Recv(8, 1-m.Rank)
	}, []int32{0, 1}},
	{"shift by all at once", 4, func(m pattern.Member) { m.Send(8, (m.Rank+1)%4); m.Recv(8, (m.Rank+3)%4) },
		[]int32{0, 1, 2, 3}},
	{"shift, one breaks the ring", 4, func(m pattern.Member) {
		if m.Rank == 2 {
			m.Recv(8, 1)
			m.Send(8, 3)
		} else {
			m.Send(8, (m.Rank+1)%4)
			m.Recv(8, (m.Rank+3)%4)
		}
	}, nil},
	{"messages overtaken by tag", 2, func(m pattern.Member) {
		for _, tag := range []int32{1, 2} {
			if m.Rank == 0 {
				m.Tag = tag
				m.Send(8, 1)
			} else {
				m.Tag = 3 - tag
				m.Recv(8, 0)
			}
		}
	}, []int32{0, 1}},
	{"master and workers, any order", 4, func(m pattern.Member) {
		if m.Rank == 0 {
			for range 3 {
				m.Recv(8, graph.Any)
			}
		} else {
			m.Send(8, 0)
		}
	}, nil},
	{"a circle of three beside two that work", 5, func(m pattern.Member) {
		if m.Rank < 2 {
			m.PingPong(8, 2)
			return
		}
		m.Send(8, 2+(m.Rank-1)%3)
		m.Recv(8, 2+m.Rank%3)
	}, []int32{2, 3, 4}},
}

func TestDeadlocksWithoutBuffering(t *testing.T) {
	big := loggps.LogGOPS{L: 10, Overhead: 1, S: 1 << 20}.Params()
	for _, c := range corpus {
		g := program(t, c.ranks, c.run)
		for _, mode := range []Mode{LogGPS, LogGOPS} {
			_, err := Run(g, Options{Machine: loggps.Single(big), Mode: mode})
			require.NoError(t, err, c.name) // thanks to buffering
			_, err = Run(g, Options{Machine: loggps.Single(big), Mode: mode, Synchronous: true})
			if c.cycle == nil {
				assert.NoError(t, err, c.name)
				continue
			}
			var stuck *StuckError
			require.ErrorAs(t, err, &stuck, c.name)
			assert.ErrorContains(t, err, "deadlock at")
			assert.Empty(t, stuck.Partnerless, c.name)
			var ranks []int32
			for i, id := range stuck.Cycle {
				op, next := g.Op(id), g.Op(stuck.Cycle[(i+1)%len(stuck.Cycle)])
				assert.Equal(t, op.Peer, next.Rank, c.name)
				ranks = append(ranks, op.Rank)
			}
			assert.ElementsMatch(t, c.cycle, ranks, c.name)
		}
	}
}

// S = 0 finds the same but for empty messages.
func TestDeadlockByLimit(t *testing.T) {
	g := program(t, 2, func(m pattern.Member) { m.Site = 7; m.Send(1, 1-m.Rank); m.Recv(1, 1-m.Rank) })
	_, err := Run(g, Options{Machine: loggps.Single(loggps.Params{})})
	assert.EqualError(t, err,
		"sim: deadlock at 0 ns: these wait for one another in a circle; let one of the ranks receive before it "+
			"sends, or use nonblocking calls:\n"+
			"  rank 0, operation 0: send 1 B to rank 1, tag 0\n  rank 1, operation 0: send 1 B to rank 0, tag 0")
}

func TestUnmatched(t *testing.T) {
	p := loggps.Params{Sync: 100}
	for want, run := range map[string]func(m pattern.Member){
		"matches these; check peers, tags and numbers of messages:\n  rank 1, operation 0: recv 8 " +
			"B from rank 0, tag 1": func(m pattern.Member) {
			if m.Tag = int32(m.Rank); m.Rank == 0 {
				m.Send(8, 1)
			} else {
				m.Recv(8, 0)
			}
		},
		"never received; add receives, or check peers and tags:\n  rank 0, operation 0: send " +
			"8 B to rank 1, tag 0": func(m pattern.Member) {
			if m.Rank == 0 {
				m.Send(8, 1)
			}
		},
		"matches these; check peers, tags and numbers of messages:\n  rank 0, operation 0: " +
			"send 101 B to rank 1": func(m pattern.Member) {
			if m.Rank == 0 {
				m.Send(101, 1)
			}
		},
		"can never complete; check what they depend on:\n  rank 1, operation 0: recv " +
			"8 B from any, tag 0": func(m pattern.Member) {
			if m.Rank == 1 {
				m.Recv(8, graph.Any)
			}
		},
		"and 2 more": func(m pattern.Member) {
			if m.Rank == 0 {
				for range 12 {
					m.Send(8, 1)
				}
			}
		},
	} {
		_, err := Run(program(t, 2, run), Options{Machine: loggps.Single(p)})
		var stuck *StuckError
		require.ErrorAs(t, err, &stuck)
		assert.ErrorContains(t, err, want)
		assert.Empty(t, stuck.Cycle)
	}
}
