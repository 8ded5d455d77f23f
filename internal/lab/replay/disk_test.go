package replay

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/trace"
)

// onDisk is a trace of ranks with records, each of them a block of its own or all together.
func onDisk(t *testing.T, together bool, ranks ...[]trace.Raw) (tr *trace.Trace, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "job.trace")
	f, err := os.Create(path)
	require.NoError(t, err)
	w, err := trace.NewWriter(f, trace.Meta{Ranks: len(ranks), CPUs: len(ranks), TickNS: 1})
	require.NoError(t, err)
	for rank, list := range ranks {
		var b []byte
		for i := range list {
			for _, word := range list[i].Pack() {
				b = binary.LittleEndian.AppendUint64(b, word)
			}
			if !together || i == len(list)-1 {
				require.NoError(t, w.Events(rank, 0, b))
				b = b[:0]
			}
		}
	}
	require.NoError(t, w.End(trace.End{}))
	require.NoError(t, f.Close())
	tr, err = trace.OpenOnDisk(path)
	require.NoError(t, err)
	t.Cleanup(func() { tr.Close() })
	return tr, path
}

// TestFileChanges: a trace on disk whose file is cut off while it is read becomes no graph, and its part neither.
func TestFileChanges(t *testing.T) {
	tr, path := onDisk(t, false, []trace.Raw{{Kind: trace.Init, Took: 10}, {Kind: trace.Probe, Ticks: 10_000, Took: 10},
		{Kind: trace.Finalize, Ticks: 20_000, Took: 10}})
	_, err := New(tr, Options{})
	require.NoError(t, err)
	require.NoError(t, os.Truncate(path, 200))
	_, err = New(tr, Options{})
	require.ErrorContains(t, err, "the file has changed while it was read")

	part, _ := (&Part{Ranks: []int{0}}).Of(tr)
	require.ErrorContains(t, Whole(part), "the file has changed while it was read")
}

// TestMemory is about a trace on disk, in which each event is a call behind a computation. Pieces take 56 bytes an
// event, a graph two operations of 36, and a part the event itself. Nothing keeps what they were made of.
func TestMemory(t *testing.T) {
	const events = 131_000 // whose operations fill whole blocks of a graph
	ranks := [2][]trace.Raw{{{Kind: trace.Init}}, {{Kind: trace.Init}}}
	for i := range uint32(events / 2) {
		at := uint64(1000 * (i + 1))
		ranks[0] = append(ranks[0], trace.Raw{Kind: trace.Send, Ticks: at, Took: 100, Bytes: 8, Peer: 1, Number: i + 1})
		ranks[1] = append(ranks[1], trace.Raw{Kind: trace.Recv, Ticks: at, Took: 200, Bytes: 8, Peer: 0, Number: i + 1})
	}
	tr, _ := onDisk(t, true, ranks[:]...)
	before := live()
	perEvent := func() float64 { return float64(live()-before) / events }

	run := Pieces(tr)
	require.InDelta(t, 56, perEvent(), 4)
	runtime.KeepAlive(run)
	r, err := New(tr, Options{})
	require.NoError(t, err)
	require.Equal(t, 2*events, r.Graph.Len())
	require.InDelta(t, 72, perEvent(), 4)
	runtime.KeepAlive(r)
	part, _ := (&Part{To: time.Hour.Nanoseconds()}).Of(tr)
	require.InDelta(t, 56, perEvent(), 4)
	runtime.KeepAlive(part)
}

func live() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
