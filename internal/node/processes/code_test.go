package processes

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCodeIn(t *testing.T) {
	list, err := codeIn(strings.NewReader("7f12a000-7f12b000 r-xp 00001000 fe:00 123    /usr/lib/a library.so\n" +
		"7f12b000-7f12c000 rw-p 00001000 fe:00 123 /usr/lib/a.so\n7f12c000-7f12d000 r-xp 00000000 00:00 0\n" +
		"7f12d000-7f12e000 r-xp 00000000 00:00 0 [vdso]\n"))
	require.NoError(t, err)
	require.Len(t, list, 1)
	c := list[0]
	require.Equal(t, Code{Start: 0x7f12a000, End: 0x7f12b000, Offset: 0x1000, Path: "/usr/lib/a library.so"}, c)
	require.True(t, c.Holds(0x7f12a000))
	require.False(t, c.Holds(0x7f12b000))
	require.EqualValues(t, 0x1010, c.InFile(0x7f12a010))
}
