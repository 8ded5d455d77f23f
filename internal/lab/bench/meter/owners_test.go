package meter

import (
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/areas"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
)

const ownersMaps = `10000-12000 rw-p 00000000 00:00 0
12000-13000 r--p 00000000 fe:00 1 /lib/a
13000-14000 r-xp 00001000 fe:00 1 /lib/a
14000-15000 rw-p 00002000 fe:00 1 /lib/a
15000-16000 rw-p 00000000 00:00 0
16000-17000 rw-p 00000000 00:00 0
20000-30000 rw-p 00000000 00:00 0
30000-31000 r-xp 00001000 fe:00 1 /lib/a
`

// An area is that of the rank with an address there, with all of a library; of several ranks it is nobody's.
func TestOwners(t *testing.T) {
	var list []areas.Area
	require.NoError(t, areas.Read(strings.NewReader(ownersMaps), func(a areas.Area) { list = append(list, a) }))
	traces := append(parseTraces("202 0x29000 0x0 0x13008 0x0 0x0 0x0 0x17000\n", 1), parseTraces("running\n", 0)...)
	traces = append(traces, parseTraces("-1 0x11fff 0x30abc", 0)...)
	require.Len(t, traces, 9)
	require.Equal(t, map[uint64]int{0x10000: 0, 0x12000: 1, 0x13000: 1, 0x14000: 1, 0x15000: 1, 0x20000: 1, 0x30000: 0},
		ownersOf(list, traces))
	traces = append(traces, trace{0x20001, 0})
	require.Equal(t, job.Unknown, ownersOf(list, traces)[0x20000])
}

// The heap of a process is found by a thread that waits to read into it.
func TestHeapIsOwned(t *testing.T) {
	if _, err := os.ReadFile("/proc/self/syscall"); err != nil {
		t.Skip("the kernel does not show system calls: ", err)
	}
	var pipe [2]int
	require.NoError(t, syscall.Pipe(pipe[:]))
	done, buf := make(chan error), make([]byte, 64)
	go func() {
		_, err := syscall.Read(pipe[0], buf)
		done <- err
	}()
	heap := uint64(sys.HeapAddr(buf))
	var traces []trace
	require.Eventually(t, func() bool {
		traces = tracesOf([]int{os.Getpid()})
		return slices.ContainsFunc(traces, func(t trace) bool { return t.at == heap })
	}, time.Minute, time.Millisecond)
	list, err := areasOf(os.Getpid())
	require.NoError(t, err)
	i := slices.IndexFunc(list, func(a areas.Area) bool { return a.Holds(heap) })
	require.GreaterOrEqual(t, i, 0)
	require.Contains(t, ownersOf(list, traces), list[i].Start)
	require.NoError(t, syscall.Close(pipe[1]))
	require.NoError(t, <-done)
	require.NoError(t, syscall.Close(pipe[0]))
}
