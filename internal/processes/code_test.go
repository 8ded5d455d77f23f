package processes

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseCode(t *testing.T) {
	c, ok := parseCode("7f12a000-7f12b000 r-xp 00001000 fe:00 123    /usr/lib/a library.so\n")
	require.True(t, ok)
	require.Equal(t, Code{Start: 0x7f12a000, End: 0x7f12b000, Offset: 0x1000, Path: "/usr/lib/a library.so"}, c)
	require.True(t, c.Holds(0x7f12a000))
	require.False(t, c.Holds(0x7f12b000))
	require.EqualValues(t, 0x1010, c.InFile(0x7f12a010))
	for _, text := range []string{
		"", "7f12a000-7f12b000 rw-p 00001000 fe:00 123 /usr/lib/a.so\n", "7f12a000-7f12b000 r-xp 00000000 00:00 0\n",
		"7f12a000-7f12b000 r-xp 00000000 00:00 0 [vdso]\n", "x-7f12b000 r-xp 0 fe:00 1 /a\n",
	} {
		_, ok := parseCode(text)
		require.False(t, ok, text)
	}
}
