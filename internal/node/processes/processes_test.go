package processes

import (
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

const rest = " 12 12 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 777 1 1"

func TestParse(t *testing.T) {
	for stat, want := range map[string]Process{
		"12 (sh) S 7" + rest:        {Name: "sh", Parent: 7, Group: 12, State: 'S', Threads: 1, Start: 777},
		"12 (a) b (c)) R 8" + rest:  {Name: "a) b (c)", Parent: 8, Group: 12, State: 'R', Threads: 1, Start: 777},
		"12 (\n) ( 5 5) Z 9" + rest: {Name: "\n) ( 5 5", Parent: 9, Group: 12, State: 'Z', Threads: 1, Start: 777},
	} {
		got, ok := parse([]byte(stat))
		require.True(t, ok, "%q", stat)
		require.Equal(t, want, got, "%q", stat)
	}
	for _, stat := range []string{"", "12 (sh)", "12 (sh) S", "12 (sh) S 7", "12 (sh) S x" + rest,
		"12 )( S 7" + rest, "12 ) S 7" + rest} {
		_, ok := parse([]byte(stat))
		require.False(t, ok, "%q", stat)
	}
	own, ok := Find(os.Getpid())
	require.True(t, ok)
	require.Equal(t, os.Getppid(), own.Parent)
	require.True(t, slices.ContainsFunc(Children(os.Getppid()), func(p Process) bool { return p.PID == own.PID }))
	require.Equal(t, os.Args, Args(os.Getpid()))
	_, ok = Find(-1)
	require.False(t, ok)
	require.Empty(t, Args(-1))
}

func TestEnded(t *testing.T) {
	require.True(t, Process{State: 'Z', Threads: 1}.Ended())
	require.False(t, Process{State: 'Z', Threads: 2}.Ended(), "only the first thread has ended")
	require.False(t, Process{State: 'S', Threads: 1}.Ended())
}

func TestHas(t *testing.T) {
	const setting = "PVAS_ID=ab"
	require.True(t, has([]byte("PVAS_ID=ab\x00X=1\x00"), setting))
	require.True(t, has([]byte("X=1\x00PVAS_ID=ab\x00"), setting))
	require.False(t, has([]byte("XPVAS_ID=ab\x00"), setting))
	require.False(t, has([]byte("PVAS_ID=abc\x00"), setting))
	require.False(t, has(nil, setting))
	require.False(t, Has(-1, setting))
}

// Whatever /proc shows, nothing panics.
func FuzzParse(f *testing.F) {
	f.Add([]byte("12 (sh) S 7" + rest))
	f.Add([]byte("12 (a) b) Z"))
	f.Fuzz(func(t *testing.T, stat []byte) { parse(stat) })
}
