package recorder

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/trace"
)

// newBench returns a recorder whose events nobody takes, and makes room before it is needed.
func newBench(b *testing.B) (r *Recorder, room func()) {
	m, err := job.InHeap(job.Config{Ranks: 1, BTL: job.BTLPvas, CPUs: 2, TraceSize: (Size(1) + 4095) / 4096 * 4096})
	require.NoError(b, err)
	d, err := Start(m.Root(), new(bytes.Buffer), trace.Meta{BTL: "pvas", CPUs: 2})
	require.NoError(b, err)
	d.stop.Store(true)
	headOf(m.Root().TraceBuffer(0)).event.Signal()
	<-d.done
	r = New(m.Root(), 0)
	require.Zero(b, os.Getpagesize()%4096)
	return r, func() {
		if r.next+8 > r.limit {
			r.lane.tail.Store(r.next)
			r.limit = r.next + uint64(len(r.records))
		}
	}
}

func BenchmarkClock(b *testing.B) {
	r, _ := newBench(b)
	for b.Loop() {
		r.Now()
	}
}

func BenchmarkCall(b *testing.B) {
	r, room := newBench(b)
	for b.Loop() {
		room()
		r.Call(trace.Recv, r.Begin(), &What{Bytes: 8, Number: 7, Context: 8, Tag: 1, Peer: 1})
	}
}

func BenchmarkShortSend(b *testing.B) {
	r, room := newBench(b)
	for b.Loop() {
		room()
		r.ShortSend(r.BeginShort(8), &What{Bytes: 8, Number: 7, Context: 8, Tag: 1, Peer: 1})
	}
}
