package trace

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestOpenOnDisk: a trace on disk has the same events as one in memory, and takes some bytes for each block. It says if
// the file changes, or is closed.
func TestOpenOnDisk(t *testing.T) {
	const events = 100_000
	var file bytes.Buffer
	w, err := NewWriter(&file, Meta{Ranks: 2, CPUs: 2, TickNS: 2})
	require.NoError(t, err)
	require.NoError(t, w.Clock(0, 100, 50))
	put := func(rank, lane int, raws ...Raw) { require.NoError(t, w.Events(rank, lane, records(raws...))) }
	put(1, 0, NameContext(1, 77, "world")...)
	put(1, 0, NameSite(1, "a name that takes more than one record: x.c:10")...)
	put(1, 0, Wide(3<<32, 5<<32), Raw{Kind: Send, Ticks: 1000, Took: 7, Bytes: 9, Context: 1, Site: 1, Number: 4})
	put(1, 0, Raw{Kind: Lost, Ticks: 2000, Bytes: 3})
	put(1, 1, Raw{Kind: Node, Ticks: 3000, Took: 1})
	for at := uint64(0); at < events; {
		var list []Raw
		for range 100 {
			at++
			list = append(list, Raw{Kind: Recv, Ticks: 10 * at, Took: 5, Peer: 1, Number: uint32(at)})
		}
		put(0, 0, list...)
	}
	require.NoError(t, w.Clock(0, 100+1_000_000, time.Duration(50+3_000_000)))
	require.NoError(t, w.End(End{}))
	path := filepath.Join(t.TempDir(), "job.trace")
	require.NoError(t, os.WriteFile(path, file.Bytes(), 0o600))

	plain, err := Open(path)
	require.NoError(t, err)
	before := heap()
	disk, err := OpenOnDisk(path)
	require.NoError(t, err)
	require.Less(t, float64(heap()-before)/events, 2.0, "bytes an event")
	require.Equal(t, plain.Lost(), disk.Lost())
	require.Empty(t, disk.Ranks[0].Events)
	for rank := range plain.Ranks {
		want, got := &plain.Ranks[rank], disk.Rank(rank)
		require.Equal(t, want.Events, got.Events)
		require.Equal(t, want.Sites, got.Sites)
		require.Equal(t, want.Contexts, got.Contexts)
		require.Same(t, want, plain.Rank(rank))
		for _, tr := range []*Trace{plain, disk} {
			var list []Event
			for e := range tr.Events(rank) {
				list = append(list, *e)
			}
			require.Equal(t, want.Events, list)
			for e := range tr.Events(rank) {
				require.Equal(t, want.Events[0], *e)
				break
			}
		}
	}
	require.NoError(t, disk.Cut)

	place := disk.Ranks[0].places[7]
	damaged := bytes.Clone(file.Bytes())
	damaged[place.offset+blockHeader+200]++
	require.NoError(t, os.WriteFile(path, damaged, 0o600))
	require.Equal(t, plain.Ranks[0].Events[:700], disk.Rank(0).Events)
	var cut *CutError
	require.ErrorAs(t, disk.Cut, &cut)
	require.Equal(t, place.offset, cut.Offset)

	disk, err = OpenOnDisk(path)
	require.NoError(t, err)
	require.Len(t, disk.Rank(0).Events, 700, "what comes before the damage")
	require.NoError(t, disk.Close())
	require.Empty(t, disk.Rank(0).Events)
	require.Error(t, disk.Cut)
	require.NoError(t, plain.Close())
}

// sameOnDisk compares a trace with that of its file on disk.
func sameOnDisk(t *testing.T, want *Trace, file []byte) {
	path := filepath.Join(t.TempDir(), "job.trace")
	require.NoError(t, os.WriteFile(path, file, 0o600))
	disk, err := OpenOnDisk(path)
	require.NoError(t, err)
	for rank := range want.Ranks {
		require.True(t, slices.Equal(want.Ranks[rank].Events, disk.Rank(rank).Events), rank)
	}
	require.Equal(t, want.Cut, disk.Cut)
	require.Equal(t, want.Lost(), disk.Lost())
	require.NoError(t, disk.Close())
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
