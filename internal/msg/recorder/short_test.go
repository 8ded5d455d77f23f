package recorder

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/trace"
)

// TestShort: short messages whose ends are estimated are all in the file, in order, and none ends before it starts.
func TestShort(t *testing.T) {
	const rounds = 1000
	root := newRoot(t, 1, 16)
	var file bytes.Buffer
	d, err := Start(root, &file, trace.Meta{BTL: "pvas", CPUs: 2})
	require.NoError(t, err)
	r := New(root, 0)
	for i := range uint32(rounds) {
		start := r.BeginShort(8)
		r.ShortSend(start, &What{Bytes: 8, Number: i, Context: 7, Tag: 1})
		start, site := r.BeginWait(trace.Recv)
		r.Look()
		r.Recv(start, &What{Bytes: 8, Site: site, Number: i, Context: 7, Tag: 1})
	}
	r.Publish()
	require.NoError(t, d.Close())
	tr, err := trace.Read(&file)
	require.NoError(t, err)
	estimated, next, last := map[trace.Kind]int{}, uint32(0), int64(0)
	for _, e := range tr.Ranks[0].Events {
		if e.Kind != trace.Send && e.Kind != trace.Recv {
			continue
		}
		assert.Equal(t, next/2, e.Message)
		assert.GreaterOrEqual(t, e.Start, last)
		assert.GreaterOrEqual(t, e.End, e.Start)
		assert.EqualValues(t, 8, e.Bytes)
		last = e.Start
		next++
		if e.Flags&trace.Estimated != 0 {
			estimated[e.Kind]++
		}
	}
	assert.EqualValues(t, 2*rounds, next)
	for _, k := range []trace.Kind{trace.Send, trace.Recv} {
		assert.LessOrEqual(t, estimated[k], rounds-rounds/measured-1, "all but one of %d, and the first", measured)
	}
}

// TestEarlyBegin: where the estimated end of a receive is later than the next call, nothing was computed that is
// long, and no CPU time is recorded.
func TestEarlyBegin(t *testing.T) {
	root := newRoot(t, 1, 16)
	d, err := Start(root, new(bytes.Buffer), trace.Meta{BTL: "pvas", CPUs: 2})
	require.NoError(t, err)
	r := New(root, 0)
	const hour = 1 << 43 // in ticks, about
	*r.takes.usual(8) = usual{length: 8, ticks: hour, steady: true}
	start, site := r.BeginWait(trace.Recv)
	r.Look()
	r.Recv(start, &What{Bytes: 8, Site: site})
	require.Greater(t, r.last, r.Now())
	next := r.next
	r.Begin()
	assert.Equal(t, next, r.next, "records written")
	require.NoError(t, d.Close())
}

func TestTypical(t *testing.T) {
	var p typical
	assert.Zero(t, p.of(8), "nothing is known")
	p.learn(8, 1000)
	assert.Zero(t, p.of(8), "one may be an exception")
	p.learn(8, 1100)
	assert.EqualValues(t, 1012, p.of(8))
	assert.Zero(t, p.of(9), "another length")
	p.learn(8, 100000)
	assert.Zero(t, p.of(8), "that one was interrupted")
	p.learn(8, 1012)
	assert.EqualValues(t, 1012, p.of(8))
	p.learn(8, 100)
	assert.Zero(t, p.of(8), "those before were interrupted")
	p.learn(8, 100)
	assert.EqualValues(t, 100, p.of(8))
	for range measured {
		p.count++
		if p.count%measured == measured-1 {
			assert.Zero(t, p.of(8), "one of many is measured")
		}
	}
	for range 3 {
		p.learn(Short+1, 100)
	}
	assert.Zero(t, p.of(Short+1), "too long")
}

// TestGap: recording takes some time, and not much. The clock may be a coarse one.
func TestGap(t *testing.T) {
	var c clock
	c.counter = counterTrusted()
	c.base = c.now()
	assert.Less(t, gapOf(c), uint64(1)<<40)
}
