package trace

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestOpenPacked: a packed trace has the same events as one that is not, and takes little more than their records.
func TestOpenPacked(t *testing.T) {
	const events = 100_000
	var file bytes.Buffer
	w, err := NewWriter(&file, Meta{Ranks: 2, CPUs: 2, TickNS: 2})
	require.NoError(t, err)
	require.NoError(t, w.Clock(0, 100, 50))
	put := func(rank, lane int, raws ...Raw) {
		var b []byte
		for _, r := range raws {
			for _, word := range r.Pack() {
				b = append(b, byte(word), byte(word>>8), byte(word>>16), byte(word>>24), byte(word>>32), byte(word>>40),
					byte(word>>48), byte(word>>56))
			}
		}
		require.NoError(t, w.Events(rank, lane, b))
	}
	put(1, 0, NameContext(1, 77, "world")...)
	put(1, 0, NameSite(1, "a name that takes more than one record: x.c:10")...)
	put(1, 0, Wide(3<<32, 5<<32), Raw{Kind: Send, Ticks: 1000, Took: 7, Bytes: 9, Context: 1, Site: 1, Number: 4})
	put(1, 0, Raw{Kind: Lost, Ticks: 2000, Bytes: 3})
	put(1, 1, Raw{Kind: Node, Ticks: 3000, Took: 1})
	for at := range uint64(events) {
		put(0, 0, Raw{Kind: Recv, Ticks: 10 * at, Took: 5, Peer: 1, Number: uint32(at) + 1})
	}
	require.NoError(t, w.Clock(0, 100+1_000_000, time.Duration(50+3_000_000)))
	require.NoError(t, w.End(End{}))
	path := filepath.Join(t.TempDir(), "job.trace")
	require.NoError(t, os.WriteFile(path, file.Bytes(), 0o600))

	plain, err := Open(path)
	require.NoError(t, err)
	before := heap()
	packed, err := OpenPacked(path)
	require.NoError(t, err)
	require.Less(t, float64(heap()-before)/events, 40.0, "bytes an event")
	require.Equal(t, plain.Lost(), packed.Lost())
	require.Empty(t, packed.Ranks[0].Events)
	for rank := range plain.Ranks {
		want, got := &plain.Ranks[rank], packed.Rank(rank)
		require.Equal(t, want.Events, got.Events)
		require.Equal(t, want.Sites, got.Sites)
		require.Equal(t, want.Contexts, got.Contexts)
		require.Same(t, want, plain.Rank(rank))
	}
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
