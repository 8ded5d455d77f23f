package job

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// Segments lie where they were asked for, show the bytes of the file at their offset,
// and leave no mapping behind.
func TestSegments(t *testing.T) {
	mem, err := Create(Config{Ranks: 2, BTL: BTLSM, CPUs: 2})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, mem.Close()) })
	page := os.Getpagesize()
	before := mappings(t)
	var all []*Segment
	for i, align := range []int{page, hugePage, page, hugePage, hugePage, 2 * hugePage, 16 * page} {
		offset := mem.Root().SegmentOffset(1) + int64(i*3*hugePage)
		length := hugePage + i*page + 1
		s, err := mem.MapSegment(offset, length, align)
		require.NoError(t, err)
		require.Len(t, s.Bytes, length)
		require.Zero(t, sys.AddrOf(s.Bytes)%uintptr(align), "align=%d", align)
		for _, at := range []int{0, page, length - 1} {
			s.Bytes[at] = byte(i + 1)
			var b [1]byte
			_, err = mem.File().ReadAt(b[:], offset+int64(at))
			require.NoError(t, err)
			require.Equal(t, byte(i+1), b[0], "the segment shows other bytes of the file")
		}
		again, err := mem.MapSegment(offset, length, hugePage)
		require.NoError(t, err)
		require.Equal(t, byte(i+1), again.Bytes[page])
		all = append(all, s, again)
	}
	require.Greater(t, mappings(t), before)
	for _, s := range all {
		require.NoError(t, s.Unmap())
	}
	require.Equal(t, before, mappings(t))
}

// A segment that cannot be is an error that says where it was to be, and maps nothing.
func TestSegmentsThatCannotBe(t *testing.T) {
	mem, err := Create(Config{Ranks: 1, BTL: BTLSM, CPUs: 1})
	require.NoError(t, err)
	before := mappings(t)
	_, err = mem.MapSegment(17, 100, os.Getpagesize())
	require.ErrorContains(t, err, "offset 0x11: offset parameter must be a multiple")
	_, err = mem.MapSegment(0, 1<<50, hugePage)
	require.ErrorContains(t, err, "mmap of")
	require.Equal(t, before, mappings(t))
	require.NoError(t, mem.Close())
}

// mappings is the number of areas of this process that show job memory.
func mappings(t *testing.T) int {
	text, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	return strings.Count(string(text), "memfd:pvas-job")
}
