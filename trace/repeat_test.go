package trace

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRepeat: repeated events are like the last one of their kind, but for times and numbers.
func TestRepeat(t *testing.T) {
	var events []Event
	d := decoder{rank: &Rank{}, events: &events}
	word := func(k Kind, f Flags, since, took uint64) uint64 {
		w, ok := Repeat(k, f, since, took)
		require.True(t, ok)
		return w
	}
	record := func(words ...uint64) {
		var b [RecordSize]byte
		for i, w := range words {
			binary.LittleEndian.PutUint64(b[8*i:], w)
		}
		d.add(b[:])
	}
	record(RepeatHead(7), word(Send, 0, 0, 1))
	require.Empty(t, events, "nothing to repeat")
	send := Raw{Kind: Send, Ticks: 10, Took: 5, Bytes: 8, Tag: -3, Peer: 2, Number: 1, Site: 4, Flags: By(Eager)}
	recv := Raw{Kind: Recv, Ticks: 20, Took: 6, Bytes: 9, Peer: 3, Number: 100, Flags: By(Eager) | Estimated}
	d.add(send.append(nil))
	d.add(recv.append(nil))
	const longest, farthest = 1<<30 - 1, 1<<31 - 1
	record(RepeatHead(1<<56-1-farthest), word(Send, Estimated, 0, 1), word(Recv, 0, farthest, longest), word(Send, 0, 0, 0))
	record(RepeatHead(40), word(Recv, Estimated, 2, 3))
	require.Len(t, events, 6)
	like := func(e Event, start, took int64, number uint32, f Flags) Event {
		e.Start, e.End, e.Message, e.Flags = start, start+took, number, f
		return e
	}
	assert.Equal(t, []Event{
		like(events[0], 1<<56-1-farthest, 1, 2, By(Eager)|Estimated),
		like(events[1], 1<<56-1, longest, 101, By(Eager)),
		like(events[0], 1<<56-1, 0, 3, By(Eager)),
		like(events[1], 42, 3, 102, By(Eager)|Estimated),
	}, events[2:])
	for _, times := range [][2]uint64{{farthest + 1, 0}, {0, longest + 1}, {1<<64 - 1, 0}} {
		_, ok := Repeat(Send, 0, times[0], times[1])
		assert.False(t, ok)
	}
}

// TestVersionBefore: files without repeated events are still read.
func TestVersionBefore(t *testing.T) {
	file := sample(t)
	now, err := Read(bytes.NewReader(file))
	require.NoError(t, err)
	file[8] = 1
	before, err := Read(bytes.NewReader(file))
	require.NoError(t, err)
	assert.Equal(t, now, before)
}
