package areas

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	const start, system = 1<<64 - 0xa00000, "ffffffffff600000-ffffffffff601000 --xp 0 00:00 0    [vsyscall]"
	for line, want := range map[string]Area{
		"10000-12000 rw-s 00001000 fe:00 123  /a b\n": {0x10000, 0x12000, "rw-s", 0x1000, "/a b"},
		"10000-12000 rw-s 00000000 00:00 0 ":          {0x10000, 0x12000, "rw-s", 0, ""},
		"10000-12000 rw-p 00000000 00:00 0":           {0x10000, 0x12000, "rw-p", 0, ""},
		system:                                        {start, start + 0x1000, "--xp", 0, "[vsyscall]"},
	} {
		got, err := Parse(line)
		require.NoError(t, err, line)
		require.Equal(t, want, got, line)
		require.Equal(t, strings.Contains(line, "rw-s"), got.Shared())
		require.True(t, got.Holds(got.Start))
		require.False(t, got.Holds(got.End))
	}
	for _, line := range []string{"", "\n", "1000-2000\n", "1000-2000 rw-p\n", "2000-1000 rw-p 0 00:00 0", "Rss: 4 kB",
		"1000-x rw-p 0 00:00 0", "1000 rw-p 0 00:00 0", "1000-2000 rw 0 00:00 0", "1000-2000 rw-p x 00:00 0"} {
		_, err := Parse(line)
		require.Error(t, err, line)
	}
	cause := errors.New("broken")
	require.ErrorIs(t, Read(iotest.ErrReader(cause), func(Area) {}), cause)
}

// What the kernel writes about this process is read, and its areas ascend. Other text is read or refused.
func FuzzRead(f *testing.F) {
	own, err := os.ReadFile("/proc/self/maps")
	require.NoError(f, err)
	at := uint64(0)
	require.NoError(f, Read(bytes.NewReader(own), func(a Area) {
		require.LessOrEqual(f, at, a.Start)
		at = a.End
	}))
	f.Add(string(own))
	f.Fuzz(func(t *testing.T, text string) {
		_ = Read(strings.NewReader(text), func(a Area) { _, _ = a.Shared(), a.Holds(a.Start) })
	})
}
