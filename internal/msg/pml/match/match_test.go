package match

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
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

// naive is matching as the standard tells it: rows in the order of time, and a search from the front.
type naive struct {
	posted     []*post
	probes     []*post // that block
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

// seen takes out the probes that wait for such a message.
func (n *naive) seen(m *letter) (seen []*post) {
	n.probes = slices.DeleteFunc(n.probes, func(p *post) bool {
		if !fits(p, m.Source, m.Tag) {
			return false
		}
		seen = append(seen, p)
		return true
	})
	return seen
}

// untouched tells whether nothing would see the next message of this rank before a new receive.
func (n *naive) untouched(rank int32) bool {
	return len(n.unexpected) == 0 &&
		!slices.ContainsFunc(n.posted, func(r *post) bool { return r.Peer == AnySource || r.Peer == rank })
}

// twin is a context and its model.
type twin struct {
	t *testing.T
	*Context[post, letter]
	model naive
}

// withdraw takes out any of these receives or probes.
func (w *twin) withdraw(rng *rand.Rand, from *[]*post) {
	if len(*from) == 0 {
		return
	}
	i := rng.IntN(len(*from))
	w.Withdraw(&(*from)[i].Receive)
	*from = slices.Delete(*from, i, i+1)
}

func (w *twin) arrive(m *letter) {
	r := w.Arrive(m.Source, m.Tag)
	require.Same(w.t, w.model.arrive(m), r)
	if r != nil {
		return
	}
	w.Add(&m.Message)
	var seen []*post
	for p := w.NextProbe(&m.Message); p != nil; p = w.NextProbe(&m.Message) {
		seen = append(seen, p)
	}
	require.True(w.t, slices.Equal(w.model.seen(m), seen))
}

func (w *twin) receive(r *post) {
	m := w.Find(r.Peer, r.Tag)
	require.Same(w.t, w.model.receive(r), m)
	if m == nil {
		w.Post(&r.Receive)
	} else {
		w.Take(&m.Message)
	}
}

// probe waits if no message fits.
func (w *twin) probe(p *post) {
	i := slices.IndexFunc(w.model.unexpected, func(m *letter) bool { return fits(p, m.Source, m.Tag) })
	m := w.Find(p.Peer, p.Tag)
	if i < 0 {
		require.Nil(w.t, m)
		w.Await(&p.Receive)
		w.model.probes = append(w.model.probes, p)
		return
	}
	require.Same(w.t, w.model.unexpected[i], m)
}

// TestMatchingAgainstNaiveModel interleaves receives and probes, with and without wildcards, arrivals and
// cancellations at random, in two contexts, which are independent of each other.
func TestMatchingAgainstNaiveModel(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for range testkit.Rounds(300) { // one goroutine
		sources, tags := 1+rng.IntN(130), 1+rng.IntN(4) // more than a page of sources, too
		bias := rng.IntN(11)
		machine := New[post, letter](sources)
		twins := map[uint32]*twin{}
		for range 400 {
			number := uint32(rng.IntN(2))
			w := twins[number]
			if w == nil {
				w = &twin{t: t, Context: machine.In(number)}
				w.posts = rng.Uint64() >> 8
				twins[number] = w
			}
			require.Same(t, w.Context, machine.In(number))
			step(w, rng, newPost(int32(rng.IntN(sources)), int32(rng.IntN(tags))), bias)
			rank := int32(rng.IntN(sources))
			require.Equal(t, w.model.untouched(rank), w.Untouched(rank))
			require.Equal(t, len(w.model.unexpected) > 0, w.Unexpected())
			require.True(t, slices.Equal(w.model.unexpected, slices.Collect(w.Messages())))
		}
		var waiting, left []*post
		for number, c := range machine.Contexts() {
			require.Same(t, twins[number].Context, c)
			waiting = append(waiting, twins[number].model.posted...)
			waiting = append(waiting, twins[number].model.probes...)
		}
		for r := range machine.Expel(func(*post) error { return errGone }) {
			left = append(left, r)
		}
		require.ElementsMatch(t, waiting, left)
		for range machine.Expel(func(*post) error { return errGone }) {
			t.Error("receives that were expelled are still there")
		}
	}
}

// step does one thing at random with a receive, a probe or a message of this source and tag.
func step(w *twin, rng *rand.Rand, r *post, bias int) {
	switch {
	case rng.IntN(20) == 0:
		w.withdraw(rng, &w.model.posted)
		w.withdraw(rng, &w.model.probes)
		return
	case rng.IntN(11) < bias:
		w.arrive(newLetter(r.Peer, r.Tag))
		return
	}
	if rng.IntN(3) == 0 {
		r.Peer = AnySource
	}
	if rng.IntN(3) == 0 {
		r.Tag = AnyTag
	}
	if rng.IntN(5) == 0 {
		w.probe(r)
	} else {
		w.receive(r)
	}
}

// Whoever looks at contexts, at messages, or at what can never end, may stop at any of them; the others stay.
func TestFirstOfMany(t *testing.T) {
	machine := New[post, letter](3)
	waiting := []*post{newPost(AnySource, 1), newPost(AnySource, AnyTag), newPost(1, 1), newPost(2, 1)}
	for number := range uint32(2) {
		c := machine.In(number)
		if number == 0 {
			for _, r := range waiting {
				c.Post(&r.Receive)
			}
			p := newPost(0, 1)
			waiting = append(waiting, p)
			c.Await(&p.Receive)
			continue
		}
		for _, r := range []*post{newPost(0, 5), newPost(0, 6)} {
			waiting = append(waiting, r)
			c.Post(&r.Receive)
		}
		for tag := range int32(2) {
			c.Add(&newLetter(0, tag).Message)
		}
	}
	for range machine.Contexts() {
		break
	}
	for m := range machine.In(1).Messages() {
		require.Zero(t, m.Tag)
		break
	}
	spared := waiting[0]
	why := func(r *post) error {
		if r == spared {
			return nil
		}
		return errGone
	}
	var left []*post
	for range waiting[1:] {
		for r, err := range machine.Expel(why) {
			require.ErrorIs(t, err, errGone)
			left = append(left, r)
			break
		}
	}
	require.ElementsMatch(t, waiting[1:], left)
	require.Same(t, spared, machine.In(0).Arrive(2, 1))
	require.Nil(t, machine.Known(2))
}
