package perfetto

import (
	"bufio"
	"fmt"
	"io"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/gopvas/gopvas/trace"
)

// Numbers of fields.
const (
	tracePacket = 1

	packetTime       = 8
	packetSequence   = 10
	packetEvent      = 11
	packetDescriptor = 60

	descriptorUUID    = 1
	descriptorProcess = 3
	descriptorThread  = 4

	processPid  = 1
	processName = 6

	threadPid  = 1
	threadTid  = 2
	threadName = 5

	eventAnnotation = 4
	eventType       = 9
	eventTrack      = 11
	eventName       = 23
	eventFlow       = 47
	eventFlowEnd    = 48

	annotationUint   = 3
	annotationInt    = 4
	annotationString = 6
	annotationName   = 10

	sliceBegin = 1
	sliceEnd   = 2

	sequence = 1 // all packets are of one
	pid      = 1 // of the process that stands for the job
)

// Write writes a trace.
func Write(w io.Writer, t *trace.Trace) error {
	out := &writer{w: bufio.NewWriter(w)}
	out.describe(1, func(b []byte) []byte {
		return field(b, descriptorProcess, func(b []byte) []byte {
			return text(number(b, processPid, pid), processName, "job")
		})
	})
	for rank := range t.Ranks {
		out.rank(rank, &t.Ranks[rank])
	}
	if err := out.w.Flush(); out.err == nil {
		out.err = err
	}
	if out.err != nil {
		return fmt.Errorf("perfetto: write: %w", out.err)
	}
	return nil
}

type writer struct {
	w      *bufio.Writer
	err    error
	tracks int // that are described
}

// rank writes the tracks of a rank: as many as calls overlap, since slices of a track have to nest.
func (w *writer) rank(rank int, r *trace.Rank) {
	calls := r.Calls()
	flows := newFlows(rank, r, calls)
	tracks := []rankTrack{{id: w.track(rank, 0)}}
	for _, c := range calls {
		i := slices.IndexFunc(tracks, func(t rankTrack) bool { return t.last == nil || t.last.OverlapEnd() <= c.Start })
		if i < 0 {
			i = len(tracks)
			tracks = append(tracks, rankTrack{id: w.track(rank, i)})
		}
		t := &tracks[i]
		begin := max(c.Start, t.end)
		t.last, t.end = c, max(c.End, begin)
		w.event(begin, func(b []byte) []byte { return begins(b, t.id, r, c, flows.of[c]) })
		w.event(t.end, func(b []byte) []byte {
			return number(number(b, eventType, sliceEnd), eventTrack, t.id)
		})
	}
}

// rankTrack is a track of a rank, with the last call on it, and where that ends.
type rankTrack struct {
	id   uint64
	last *trace.Event
	end  int64
}

// track describes a track of a rank, and returns its number.
func (w *writer) track(rank, i int) uint64 {
	name := fmt.Sprintf("rank %d", rank)
	if i > 0 {
		name += fmt.Sprintf(", %d", i+1)
	}
	w.tracks++
	track := uint64(w.tracks + 1)
	w.describe(track, func(b []byte) []byte {
		return field(b, descriptorThread, func(b []byte) []byte {
			b = number(number(b, threadPid, pid), threadTid, uint64(w.tracks))
			return text(b, threadName, name)
		})
	})
	return track
}

// begins is the begin of a slice.
func begins(b []byte, track uint64, r *trace.Rank, c *trace.Event, ends []flow) []byte {
	b = number(number(b, eventType, sliceBegin), eventTrack, track)
	b = text(b, eventName, c.Kind.String())
	for _, f := range ends {
		n := protowire.Number(eventFlow)
		if f.received {
			n = eventFlowEnd
		}
		b = protowire.AppendFixed64(protowire.AppendTag(b, n, protowire.Fixed64Type), f.id)
	}
	if c.Peer != trace.Any {
		b = annotate(b, "peer", func(b []byte) []byte { return number(b, annotationInt, uint64(c.Peer)) })
	}
	b = annotate(b, "bytes", func(b []byte) []byte { return number(b, annotationUint, c.Bytes) })
	b = annotate(b, "what", func(b []byte) []byte { return text(b, annotationString, r.Describe(c)) })
	return b
}

// describe writes a packet that describes a track.
func (w *writer) describe(track uint64, rest func([]byte) []byte) {
	w.packet(func(b []byte) []byte {
		return field(b, packetDescriptor, func(b []byte) []byte { return rest(number(b, descriptorUUID, track)) })
	})
}

// event writes a packet with an event at a time in ns.
func (w *writer) event(at int64, rest func([]byte) []byte) {
	w.packet(func(b []byte) []byte { return field(number(b, packetTime, uint64(at)), packetEvent, rest) })
}

func (w *writer) packet(rest func([]byte) []byte) {
	b := field(nil, tracePacket, func(b []byte) []byte { return number(rest(b), packetSequence, sequence) })
	if _, err := w.w.Write(b); w.err == nil {
		w.err = err
	}
}

func annotate(b []byte, name string, value func([]byte) []byte) []byte {
	return field(b, eventAnnotation, func(b []byte) []byte { return value(text(b, annotationName, name)) })
}

func field(b []byte, n protowire.Number, content func([]byte) []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, n, protowire.BytesType), content(nil))
}

func number(b []byte, n protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, n, protowire.VarintType), v)
}

func text(b []byte, n protowire.Number, s string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, n, protowire.BytesType), s)
}
