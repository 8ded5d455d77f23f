package match

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/testkit"
)

var errGone = errors.New("its rank has gone")

// post and letter are what tests have of a receive, and of a message.
type post struct {
	Receive[post]
}

type letter struct {
	Message[letter]
}

func newPost(from, tag int32) *post {
	r := &post{}
	r.Init(r)
	r.Peer, r.Tag = from, tag
	return r
}

func newLetter(from, tag int32) *letter {
	m := &letter{}
	m.Init(m)
	m.Source, m.Tag = from, tag
	return m
}

// naive is matching as the standard tells it: two rows in the order of time, and a
// search from the front.
type naive struct {
	posted     []*post
	unexpected []*letter
}

func fits(r *post, from, tag int32) bool {
	return (r.Peer == AnySource || r.Peer == from) && (r.Tag == AnyTag || r.Tag == tag)
}

// receive returns the message for a receive, or posts it.
func (n *naive) receive(r *post) *letter {
	for i, m := range n.unexpected {
		if fits(r, m.Source, m.Tag) {
			n.unexpected = slices.Delete(n.unexpected, i, i+1)
			return m
		}
	}
	n.posted = append(n.posted, r)
	return nil
}

// arrive returns the receive for a message, or keeps it.
func (n *naive) arrive(m *letter) *post {
	for i, r := range n.posted {
		if fits(r, m.Source, m.Tag) {
			n.posted = slices.Delete(n.posted, i, i+1)
			return r
		}
	}
	n.unexpected = append(n.unexpected, m)
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
		machine := New[post, letter](sources)
		c := machine.In(0)
		c.posts = rng.Uint64() >> 8
		model := &naive{}
		for range 400 {
			from, tag := int32(rng.IntN(sources)), int32(rng.IntN(tags))
			switch {
			case rng.IntN(20) == 0 && len(model.posted) > 0:
				i := rng.IntN(len(model.posted))
				c.Withdraw(&model.posted[i].Receive)
				model.posted = slices.Delete(model.posted, i, i+1)
			case rng.IntN(11) < bias:
				m := newLetter(from, tag)
				r := c.Arrive(from, tag)
				require.Same(t, model.arrive(m), r)
				if r == nil {
					c.Add(&m.Message)
				}
			default:
				r := newPost(from, tag)
				if rng.IntN(3) == 0 {
					r.Peer = AnySource
				}
				if rng.IntN(3) == 0 {
					r.Tag = AnyTag
				}
				m := c.Find(r.Peer, r.Tag)
				require.Same(t, model.receive(r), m)
				if m == nil {
					c.Post(&r.Receive)
				} else {
					c.Take(&m.Message)
				}
			}
			require.Equal(t, len(model.unexpected) > 0, c.Unexpected())
			require.True(t, slices.Equal(model.unexpected, slices.Collect(c.Messages())))
		}
		var left []*post
		for r := range machine.Expel(func(*post) error { return errGone }) {
			left = append(left, r)
		}
		require.ElementsMatch(t, model.posted, left)
		for range machine.Expel(func(*post) error { return errGone }) {
			t.Error("receives that were expelled are still there")
		}
	}
}
