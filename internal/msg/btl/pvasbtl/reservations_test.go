package pvasbtl

import (
	"bytes"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// mergeOnce: a repeated test finds nothing left.
var mergeOnce sync.Once

// Merged reservations are fewer areas, and the runtime uses them as before.
func TestReservationsAreMerged(t *testing.T) {
	maps, err := os.Open("/proc/self/maps")
	require.NoError(t, err)
	defer maps.Close()
	if _, err := sys.AreaFrom(maps, 0); err != nil {
		t.Skip(err)
	}
	strict, err := os.ReadFile("/proc/sys/vm/overcommit_memory")
	require.NoError(t, err)
	if bytes.HasPrefix(strict, []byte("2")) || sys.SoftLimit(sys.RlimitData) != sys.Unlimited {
		t.Skip("the memory of ranks is limited")
	}
	mergeOnce.Do(func() {
		before := areaStarts(t)
		mergeReservations()
		after := areaStarts(t) // other threads may have mapped more
		gone := slices.DeleteFunc(before, func(start string) bool { return slices.Contains(after, start) })
		require.GreaterOrEqual(t, len(gone), 3) // 9; beside the race detector, whose areas lie between, 3
	})
	for range 2 {
		grown := make([][]byte, 40)
		for i := range grown { // more than an arena
			grown[i] = make([]byte, 8<<20)
			require.Equal(t, -1, bytes.IndexFunc(grown[i][:4096], func(r rune) bool { return r != 0 }))
			grown[i][len(grown[i])-1] = 1
		}
		runtime.KeepAlive(grown)
		runtime.GC()
	}
}

// areaStarts returns the addresses at which this process's areas begin.
func areaStarts(t *testing.T) (starts []string) {
	text, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		start, _, _ := strings.Cut(line, "-")
		starts = append(starts, start)
	}
	return starts
}
