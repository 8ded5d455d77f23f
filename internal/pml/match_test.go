package pml

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/testkit"
	"github.com/gopvas/gopvas/mpi/fault"
)

// naive is matching as the standard tells it: two rows in the order of time, and a
// search from the front.
type naive struct {
	posted     []*operation
	unexpected []*message
}

func fits(op *operation, from, tag int32) bool {
	return (op.peer == AnySource || op.peer == from) && (op.tag == AnyTag || op.tag == tag)
}

// receive returns the message for a receive, or posts it.
func (n *naive) receive(op *operation) *message {
	for i, msg := range n.unexpected {
		if fits(op, msg.frame.Source, msg.frame.Tag) {
			n.unexpected = slices.Delete(n.unexpected, i, i+1)
			return msg
		}
	}
	n.posted = append(n.posted, op)
	return nil
}

// arrive returns the receive for a message, or keeps it.
func (n *naive) arrive(msg *message) *operation {
	for i, op := range n.posted {
		if fits(op, msg.frame.Source, msg.frame.Tag) {
			n.posted = slices.Delete(n.posted, i, i+1)
			return op
		}
	}
	n.unexpected = append(n.unexpected, msg)
	return nil
}

// TestMatchingAgainstNaiveModel interleaves receives, with and without wildcards,
// arrivals and cancellations at random.
func TestMatchingAgainstNaiveModel(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for range testkit.Rounds(300) { // one goroutine
		sources, tags := 1+rng.IntN(130), 1+rng.IntN(4) // more than a page of sources, too
		bias := rng.IntN(11)
		m := &matcher{sources: newTable(sources), posts: rng.Uint64() >> 8}
		model := &naive{}
		for range 400 {
			from, tag := int32(rng.IntN(sources)), int32(rng.IntN(tags))
			switch {
			case rng.IntN(20) == 0 && len(model.posted) > 0:
				i := rng.IntN(len(model.posted))
				m.withdraw(model.posted[i])
				model.posted = slices.Delete(model.posted, i, i+1)
			case rng.IntN(11) < bias:
				msg := &message{}
				msg.inAll.of, msg.inSource.of = msg, msg
				msg.frame.Source, msg.frame.Tag = from, tag
				op := m.match(from, tag)
				require.Same(t, model.arrive(msg), op)
				if op == nil {
					m.add(msg)
				}
			default:
				op := &operation{kind: receiving, peer: from, tag: tag}
				op.node.of = op
				if rng.IntN(3) == 0 {
					op.peer = AnySource
				}
				if rng.IntN(3) == 0 {
					op.tag = AnyTag
				}
				msg := m.find(op.peer, op.tag)
				require.Same(t, model.receive(op), msg)
				if msg == nil {
					m.post(op)
				} else {
					m.take(msg)
				}
			}
		}
		var left []*operation
		m.each(func(op *operation) { left = append(left, op); m.withdraw(op) })
		require.ElementsMatch(t, model.posted, left)
		m.each(func(*operation) { t.Error("withdrawn receives are still there") })
	}
}

// TestListAgainstSlice pushes and removes at random.
func TestListAgainstSlice(t *testing.T) {
	var l list[operation]
	var model []*operation
	rng := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		switch k := rng.IntN(4); {
		case k == 0 && len(model) > 0:
			i := rng.IntN(len(model))
			l.remove(&model[i].node)
			model = slices.Delete(model, i, i+1)
		case k == 1 && len(model) > 0:
			require.Same(t, model[0], l.pop())
			model = model[1:]
		default:
			op := &operation{}
			op.node.of = op
			if k == 2 {
				l.pushFront(&op.node)
				model = slices.Insert(model, 0, op)
			} else {
				l.push(&op.node)
				model = append(model, op)
			}
		}
		var have, back []*operation
		for n := l.head; n != nil; n = n.next {
			have = append(have, n.of)
		}
		for n := l.tail; n != nil; n = n.prev {
			back = append(back, n.of)
		}
		slices.Reverse(back)
		require.True(t, slices.Equal(model, have) && slices.Equal(model, back))
	}
	l = list[operation]{}
	require.Nil(t, l.pop())
}

// TestLongLengths: a message may be longer than any buffer of this process.
func TestLongLengths(t *testing.T) {
	for _, c := range []struct {
		length uint64
		buffer int
		got    uint64
	}{
		{5 << 30, 16, 16}, {1<<32 + 3, 3, 3}, {1 << 63, 1, 1}, {1<<64 - 1, 0, 0}, {16, 16, 16}, {3, 16, 3},
	} {
		op := &operation{buf: btl.Buffer{Bytes: make([]byte, c.buffer)}}
		err := op.size(c.length)
		require.Equal(t, c.got, op.status.Bytes)
		if c.length <= uint64(c.buffer) {
			require.NoError(t, err)
			continue
		}
		require.Equal(t, &fault.TruncateError{Length: c.length, Buffer: uint64(c.buffer)}, err)
	}
}

// TestWider: what a wait asks beside its looks is less than twice what these ask, however long it
// lasts, and more each time.
func TestWider(t *testing.T) {
	last, sum := 0, 0
	for looks := range 100_000 {
		if n := wider(looks); n > 0 {
			require.Greater(t, n, last)
			last, sum = n, sum+n
		}
		require.LessOrEqual(t, sum, 2*moveBatch*looks)
	}
	require.Equal(t, moveBatch<<16, last)
}

// over is a transfer that is done, or is not.
type over bool

func (o over) Progress() (bool, error) { return bool(o), nil }

// TestAllSendsAreAsked: the last look before a rank sleeps asks all sends, wherever the turn of the peers
// is and whichever of them are done.
func TestAllSendsAreAsked(t *testing.T) {
	const peers = 4
	for turn := range peers {
		for done := range 1 << peers {
			e := &Engine{turn: turn}
			var ops [peers]*operation
			for i := range ops {
				op := &operation{state: moving, transfer: over(done>>i&1 == 1)}
				op.node.of = op
				b := &peerSends{peer: int32(i)}
				b.underway.push(&op.node)
				ops[i], e.busy = op, append(e.busy, b)
			}
			e.advanceSends(math.MaxInt)
			for i, op := range ops {
				require.Equal(t, done>>i&1 == 1, op.state == complete, "peer %d, turn %d, done %b", i, turn, done)
			}
		}
	}
}
