package perfetto

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/gopvas/gopvas/trace"
)

// fields decodes a message: varints and fixed numbers as uint64, others as bytes.
func fields(t *testing.T, b []byte) map[protowire.Number][]any {
	t.Helper()
	m := map[protowire.Number][]any{}
	for len(b) > 0 {
		n, kind, size := protowire.ConsumeTag(b)
		require.Positive(t, size)
		b = b[size:]
		var v any
		switch kind {
		case protowire.VarintType:
			v, size = protowire.ConsumeVarint(b)
		case protowire.Fixed64Type:
			v, size = protowire.ConsumeFixed64(b)
		case protowire.BytesType:
			v, size = protowire.ConsumeBytes(b)
		}
		require.Positive(t, size)
		b = b[size:]
		m[n] = append(m[n], v)
	}
	return m
}

func TestWrite(t *testing.T) {
	tr := &trace.Trace{Meta: trace.Meta{Ranks: 2}, Ranks: []trace.Rank{
		{Events: []trace.Event{
			{Kind: trace.Send, Start: 100, End: 120, Peer: 1, Bytes: 8, Message: 1},
			{Kind: trace.Sent, Start: 130, End: 130, Peer: 1, Bytes: 9, Message: 2, Request: 1},
			{Kind: trace.Isend, Start: 125, End: 131, Peer: 1, Bytes: 9, Request: 1},
			{Kind: trace.Sent, Start: 210, End: 210, Peer: 1, Bytes: 1, Message: 3, Flags: trace.Inside},
			{Kind: trace.Barrier, Start: 200, End: 300, Peer: trace.Any},
		}},
		{Events: []trace.Event{
			{Kind: trace.Irecv, Start: 10, End: 20, Peer: 0, Request: 1},
			{Kind: trace.Send, Start: 115, End: 120, Peer: 0, Bytes: 4, Message: 1}, // of another goroutine
			{Kind: trace.Recv, Start: 110, End: 150, Peer: 0, Bytes: 8, Message: 1},
			{Kind: trace.Received, Start: 160, End: 160, Peer: 0, Bytes: 9, Message: 2, Request: 1},
			{Kind: trace.Wait, Start: 151, End: 170, Peer: trace.Any, Request: 1},
			{Kind: trace.Received, Start: 211, End: 211, Peer: 0, Bytes: 1, Message: 3, Flags: trace.Inside},
			{Kind: trace.Barrier, Start: 200, End: 300, Peer: trace.Any},
		}},
	}}
	var out bytes.Buffer
	require.NoError(t, Write(&out, tr))
	var names []string
	begun, ended := map[uint64]string{}, map[uint64]string{}
	open, tracks := map[uint64]int{}, 0
	last := map[uint64]uint64{}
	for _, p := range fields(t, out.Bytes())[tracePacket] {
		packet := fields(t, p.([]byte))
		require.Equal(t, []any{uint64(sequence)}, packet[packetSequence])
		tracks += len(packet[packetDescriptor])
		for _, e := range packet[packetEvent] {
			event := fields(t, e.([]byte))
			track, at := event[eventTrack][0].(uint64), packet[packetTime][0].(uint64)
			require.GreaterOrEqual(t, at, last[track])
			last[track] = at
			if event[eventType][0] == uint64(sliceEnd) {
				open[track]--
				require.Zero(t, open[track])
				continue
			}
			open[track]++
			name := string(event[eventName][0].([]byte))
			names = append(names, name)
			for _, id := range event[eventFlow] {
				begun[id.(uint64)] = name
			}
			for _, id := range event[eventFlowEnd] {
				ended[id.(uint64)] = name
			}
		}
	}
	assert.Equal(t, 4, tracks, "the job, and two of rank 1")
	assert.Equal(t, []string{"send", "isend", "barrier", "irecv", "recv", "send", "wait", "barrier"}, names)
	assert.Equal(t, map[uint64]string{1<<32 | 1: "send", 1<<32 | 2: "isend", 1<<32 | 3: "barrier", 1<<48 | 1: "send"},
		begun)
	assert.Equal(t, map[uint64]string{1<<32 | 1: "recv", 1<<32 | 2: "wait", 1<<32 | 3: "barrier"}, ended)
	for track, n := range open {
		assert.Zero(t, n, "track %d", track)
	}
}
