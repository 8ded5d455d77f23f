package cluster

import (
	"bytes"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher"
)

// testInstruments are those of the agents of these tests.
var testInstruments = map[string]Instrument{
	"long": func(j *launcher.Job, to io.Writer) (func(), error) { // more than a window
		fmt.Fprintf(to, "%d of %d ranks\n", j.Apps[0].N, j.Total())
		j.Made = func(root *job.Root) error {
			_, err := to.Write(bytes.Repeat([]byte{'x'}, 3*flowWindow))
			return err
		}
		return func() { fmt.Fprintf(to, "\nends at %d", sys.Monotonic()) }, nil
	},
	"bad": func(*launcher.Job, io.Writer) (func(), error) { return nil, fmt.Errorf("the instrument is broken") },
}

// What instruments write gets to the leader whole and in order, with a good estimate of the clocks:
// here both nodes have that of the leader.
func TestNodesAndInstruments(t *testing.T) {
	n := twoNodes()
	n.Instruments = []string{"long"}
	var text [2]bytes.Buffer
	var info []NodeInfo
	var node []int
	n.Measuring = func(nodes []NodeInfo, of []int, now time.Duration) error {
		info, node = nodes, of
		require.Less(t, now, time.Duration(sys.Monotonic()))
		return nil
	}
	n.Measured = func(p Piece) {
		require.Equal(t, "long", p.Instrument)
		require.LessOrEqual(t, p.Ahead.Abs(), info[p.Node].ClockError)
		text[p.Node].Write(p.Data)
	}
	out := runNodes(t, ranks("sm", 4, "sh", "true"), n)
	require.NoError(t, out.err)
	require.Zero(t, out.Code, out.stderr)
	require.Equal(t, []int{0, 0, 1, 1}, node)
	for i, name := range []string{"a", "b"} {
		require.Equal(t, name, info[i].Name)
		require.Positive(t, info[i].ClockError)
		require.Regexp(t, fmt.Sprintf(`^2 of 4 ranks\nx{%d}\nends at \d+$`, 1000), shorten(text[i].String()))
		require.Greater(t, text[i].Len(), 3*flowWindow)
	}
}

// shorten leaves 1000 of the bytes of the long middle: a pattern repeats no more.
func shorten(s string) string {
	const most = 3*flowWindow - 1000
	i := bytes.IndexByte([]byte(s), 'x')
	if i < 0 || len(s) < i+most {
		return s
	}
	return s[:i] + s[i+most:]
}

func TestNodesAndBadInstruments(t *testing.T) {
	for name, says := range map[string]string{"bad": "the instrument is broken",
		"none": "instrument none: there is none"} {
		n := twoNodes()
		n.Instruments = []string{name}
		n.Measuring = func([]NodeInfo, []int, time.Duration) error { return nil }
		n.Measured = func(Piece) {}
		require.ErrorContains(t, runNodes(t, ranks("sm", 4, "sh", "true"), n).err, says)
	}
	n := twoNodes()
	n.Instruments = []string{"long"}
	n.Measuring = func([]NodeInfo, []int, time.Duration) error { return fmt.Errorf("no file") }
	require.ErrorContains(t, runNodes(t, ranks("sm", 4, "sh", "true"), n).err, "no file")
}

// A clock that is ahead and drifts is found by round trips, and followed within their bounds.
func TestNodeClock(t *testing.T) {
	const ahead, drift = 5 * time.Second, 50e-6
	at := func(now time.Duration) int64 { return int64(ahead) + int64(float64(now)*(1+drift)) }
	var c nodeClock
	now := time.Duration(0)
	trip := func(there, back time.Duration, starting bool) {
		begin := now
		now += there
		read := at(now)
		now += back
		c.add(clockTime{Begin: int64(begin), There: read, end: int64(now)}, starting)
		off := c.ahead - time.Duration(at(now)-int64(now))
		require.LessOrEqual(t, off.Abs(), max(c.uncertainty(), there+back)+time.Microsecond)
	}
	for _, trips := range [][2]time.Duration{{900, 100}, {100, 400}, {300, 300}, {50, 80}, {2000, 90}} {
		trip(trips[0]*time.Microsecond, trips[1]*time.Microsecond, true)
	}
	require.Less(t, c.uncertainty(), 80*time.Microsecond)
	for range 100 {
		now += time.Second
		trip(60*time.Microsecond, 90*time.Microsecond, false)
	}
}
