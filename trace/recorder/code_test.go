package recorder

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseModule(t *testing.T) {
	m, ok := parseModule("7f12a000-7f12b000 r-xp 00001000 fe:00 123    /usr/lib/a library.so\n")
	require.True(t, ok)
	require.Equal(t, module{start: 0x7f12a000, end: 0x7f12b000, offset: 0x1000, path: "/usr/lib/a library.so"}, m)
	for _, text := range []string{
		"", "7f12a000-7f12b000 rw-p 00001000 fe:00 123 /usr/lib/a.so\n", "7f12a000-7f12b000 r-xp 00000000 00:00 0\n",
		"7f12a000-7f12b000 r-xp 00000000 00:00 0 [vdso]\n", "x-7f12b000 r-xp 0 fe:00 1 /a\n",
	} {
		_, ok := parseModule(text)
		require.False(t, ok, text)
	}
}

func TestFromC(t *testing.T) {
	require.Zero(t, FromC(5))
	require.EqualValues(t, 5, FromC(7))
	require.EqualValues(t, 7, FromC(0))
}
