package sys

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func FuzzParseRunDelay(f *testing.F) {
	for _, text := range []string{"1537879 1378251 3\n", "", "1 2", "-1 2 3", "9223372036854775808 1 1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := ParseRunDelay([]byte(text))
		require.GreaterOrEqual(t, r.Ran, time.Duration(0))
		require.GreaterOrEqual(t, r.Waited, time.Duration(0))
	})
}

func TestRunDelay(t *testing.T) {
	require.Equal(t, RunDelay{Ran: 1537879, Waited: 1378251}, ParseRunDelay([]byte("1537879 1378251 3\n")))
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := ReadRunDelay()
	if before.Ran == 0 {
		t.Skip("the kernel keeps no schedstat")
	}
	require.Equal(t, unix.Gettid(), before.Thread)
	for began := time.Now(); time.Since(began) < time.Millisecond; {
		Yield()
	}
	after := ReadRunDelay()
	require.Greater(t, after.Ran, before.Ran)
	require.GreaterOrEqual(t, after.Waited, before.Waited)
}

// A slice is made shorter, never longer.
func TestShortenSlice(t *testing.T) {
	const short = 200 * time.Microsecond
	type slices struct{ at, after, again uint64 }
	got := make(chan slices)
	go func() {
		runtime.LockOSThread() // for good: the thread ends with the goroutine
		slice := func() uint64 {
			a, err := unix.SchedGetAttr(0, 0)
			require.NoError(t, err)
			return a.Runtime
		}
		s := slices{at: slice()}
		shortenSlice(0, short)
		s.after = slice()
		shortenSlice(0, 2*short)
		s.again = slice()
		got <- s
	}()
	s := <-got
	if s.at == 0 {
		require.Zero(t, s.after)
		t.Skip("the kernel has no slices that a thread may choose")
	}
	require.EqualValues(t, min(s.at, uint64(short)), s.after)
	require.Equal(t, s.after, s.again)
}
