package trace

import (
	"bytes"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// nodeFile is what a node records of a job of three ranks, of which rank is its own: one event, 500
// ns after its base.
func nodeFile(t *testing.T, base int64, rank int) []byte {
	var file bytes.Buffer
	w, err := NewWriter(&file, Meta{Ranks: 3, BTL: "pvas", CPUs: 2, TickNS: 1, BaseNS: base})
	require.NoError(t, err)
	require.NoError(t, w.Clock(0, 0, 0))
	require.NoError(t, w.Events(rank, 0, records(Raw{Kind: Barrier, Ticks: 500, Took: 10})))
	require.NoError(t, w.Clock(0, 1e9, time.Second))
	require.NoError(t, w.End(End{Seconds: 1, Lost: 3}))
	return file.Bytes()
}

func newTestJoint(out io.Writer) *Joint {
	return NewJoint(out, Meta{Nodes: []int{0, 1, 1}, Hosts: []string{"a", "b"},
		ClockErrorNS: []int64{0, 100}, BaseNS: 1000})
}

func at(d time.Duration) func() time.Duration { return func() time.Duration { return d } }

// TestJoint: the events of two nodes, of which one has another clock, are in one file.
func TestJoint(t *testing.T) {
	var file bytes.Buffer
	j := newTestJoint(&file)
	require.NoError(t, j.Take(0, bytes.NewReader(nodeFile(t, 1200, 0)), at(0)))
	require.NoError(t, j.Take(1, bytes.NewReader(nodeFile(t, 7e15, 2)), at(7e15-1300)))
	require.NoError(t, j.End())
	tr, err := Read(&file)
	require.NoError(t, err)
	require.NoError(t, tr.Cut)
	assert.Equal(t, []string{"a", "b"}, tr.Meta.Hosts)
	assert.Equal(t, []int64{0, 100}, tr.Meta.ClockErrorNS)
	assert.Equal(t, []Event{{Start: 700, End: 710, Kind: Barrier}}, tr.Ranks[0].Events)
	assert.Empty(t, tr.Ranks[1].Events)
	assert.Equal(t, []Event{{Start: 800, End: 810, Kind: Barrier}}, tr.Ranks[2].Events)
	assert.EqualValues(t, 6, tr.End.Lost)
	assert.EqualValues(t, 2, tr.End.Events)
}

// TestJointOfParts: the trace says how many events a node has recorded that have not come.
func TestJointOfParts(t *testing.T) {
	base := Meta{Ranks: 3, BTL: "pvas", CPUs: 2, TickNS: 1, BaseNS: 1200}
	var parts [][]byte
	w, err := NewWriter(writes(func(b []byte) { parts = append(parts, bytes.Clone(b)) }), base)
	require.NoError(t, err)
	for ticks := range uint64(3) {
		require.NoError(t, w.Events(0, 0, records(Raw{Kind: Barrier, Ticks: ticks}, Raw{Kind: Barrier, Ticks: ticks})))
	}
	require.NoError(t, w.End(End{Seconds: 1}))
	const second = 5 // the head of the file, two writes a block, and the one of three blocks of events
	for _, missing := range [][]byte{parts[second], parts[second+1]} {
		require.NotEmpty(t, missing)
	}
	var file bytes.Buffer
	j := newTestJoint(&file)
	require.NoError(t,
		j.Take(0, bytes.NewReader(bytes.Join(append(parts[:second:second], parts[second+2:]...), nil)), at(0)))
	require.NoError(t, j.Take(1, bytes.NewReader(nodeFile(t, 1200, 2)), at(0)))
	require.NoError(t, j.End())
	tr, err := Read(&file)
	require.NoError(t, err)
	require.NoError(t, tr.Cut)
	require.Len(t, tr.Ranks[0].Events, 4)
	require.EqualValues(t, 2+3, tr.Lost())
}

// writes is a writer that hands on what is written.
type writes func([]byte)

func (w writes) Write(b []byte) (int, error) {
	w(b)
	return len(b), nil
}

// TestJointIsCut: what a lost node has told is there, and the file says that it is incomplete.
func TestJointIsCut(t *testing.T) {
	var file bytes.Buffer
	j := newTestJoint(&file)
	require.NoError(t, j.Take(0, bytes.NewReader(nodeFile(t, 1200, 0)), at(0)))
	whole := nodeFile(t, 1300, 1)
	var cut *CutError
	require.ErrorAs(t, j.Take(1, bytes.NewReader(whole[:len(whole)-1]), at(0)), &cut)
	require.NoError(t, j.End())
	tr, err := Read(&file)
	require.NoError(t, err)
	require.ErrorContains(t, tr.Cut, "without the block that says so")
	require.Len(t, tr.Ranks[0].Events, 1)
	require.Len(t, tr.Ranks[1].Events, 1)
}

// TestJointRefuses: events of ranks that are not on the node, and what is no trace.
func TestJointRefuses(t *testing.T) {
	j := newTestJoint(io.Discard)
	require.ErrorContains(t, j.Take(0, bytes.NewReader(nodeFile(t, 1200, 1)), at(0)),
		"events of lane 0 of rank 1 make no sense")
	require.ErrorContains(t, j.Take(1, bytes.NewReader(nil), at(0)), "this is no trace")
	require.NoError(t, newTestJoint(io.Discard).End(), "no node has said anything")
}
