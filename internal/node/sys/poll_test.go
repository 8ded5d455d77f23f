package sys

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPollSet(t *testing.T) {
	var fds [MostPolled + 1]int
	for i := range fds {
		var err error
		fds[i], err = EventFD()
		require.NoError(t, err)
		defer CloseFD(fds[i])
	}
	waits := map[string]func(*PollSet){
		"known": func(p *PollSet) { p.Wait(time.Microsecond) },
		"quiet": func(p *PollSet) { p.WaitQuietly(time.Microsecond) },
	}
	for name, wait := range waits {
		t.Run(name, func(t *testing.T) {
			var set PollSet
			for _, fd := range fds {
				set.Add(fd) // the last one has no place
			}
			wait(&set)
			require.False(t, set.Readable(0))
			Signal(fds[3])
			Signal(fds[MostPolled])
			set.Wait(-1)
			wait(&set)
			for i := range MostPolled {
				require.Equal(t, i == 3, set.Readable(i), i)
			}
			Unsignal(fds[3])
			wait(&set)
			require.False(t, set.Readable(3))
			Unsignal(fds[MostPolled])
		})
	}
}

// What a wait finds of a descriptor that fails, and of none.
func TestPollSetFailing(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	require.NoError(t, w.Close())
	fd, err := EventFD()
	require.NoError(t, err)
	defer CloseFD(fd)
	Signal(fd)
	var set PollSet
	for _, fd := range []int{int(r.Fd()), fd, -1} {
		set.Add(fd)
	}
	set.Wait(-1)
	for i, want := range [][2]bool{{true, true}, {true, false}, {false, false}} {
		require.Equal(t, want, [2]bool{set.Readable(i), set.Failing(i)}, i)
	}
}
