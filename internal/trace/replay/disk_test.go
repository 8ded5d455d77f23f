package replay

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/trace"
)

// TestFileChanges: a trace on disk whose file is cut off while it is read becomes no graph, and its part neither.
func TestFileChanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "job.trace")
	f, err := os.Create(path)
	require.NoError(t, err)
	w, err := trace.NewWriter(f, trace.Meta{Ranks: 1, CPUs: 1, TickNS: 1})
	require.NoError(t, err)
	for at, kind := range []trace.Kind{trace.Init, trace.Probe, trace.Finalize} {
		raw, b := trace.Raw{Kind: kind, Ticks: uint64(10000 * at), Took: 10}, []byte(nil)
		for _, word := range raw.Pack() {
			b = binary.LittleEndian.AppendUint64(b, word)
		}
		require.NoError(t, w.Events(0, 0, b))
	}
	require.NoError(t, w.End(trace.End{}))
	require.NoError(t, f.Close())

	tr, err := trace.OpenOnDisk(path)
	require.NoError(t, err)
	defer tr.Close()
	_, err = New(tr, Options{})
	require.NoError(t, err)
	require.NoError(t, os.Truncate(path, 200))
	_, err = New(tr, Options{})
	require.ErrorContains(t, err, "the file has changed while it was read")

	part, _ := (&Part{Ranks: []int{0}}).Of(tr)
	require.ErrorContains(t, Whole(part), "the file has changed while it was read")
}
