package pvas

import (
	"math/bits"
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// Kernels have addresses of these widths; what programs get by asking for more does not count.
func TestWidest(t *testing.T) {
	for _, has := range []int{36, 39, 42, 47, 48, 52} {
		for _, most := range []int{47, 48} {
			got := widest(most, func(address uint64) bool { return address < 1<<has })
			require.Equal(t, min(has, most), got)
		}
	}
	require.Equal(t, leastBits, widest(48, func(uint64) bool { return false }))
}

// The kernel puts the stack of the first thread at the end of the addresses.
func TestAddressBits(t *testing.T) {
	maps, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	m := regexp.MustCompile(`(?m)^([0-9a-f]+)-[0-9a-f]+ .*\[stack\]$`).FindSubmatch(maps)
	require.NotNil(t, m, "%s", maps)
	stack, err := strconv.ParseUint(string(m[1]), 16, 64)
	require.NoError(t, err)
	require.Equal(t, bits.Len64(stack), addressBits())
	require.True(t, mappable(here.pageDown(stack)), "though something is there")
	require.False(t, mappable(1<<63))
}

// Partitions become smaller where addresses are few, and hold a stack.
func TestPartitionsOfNarrowAddresses(t *testing.T) {
	limitStack(t, usual)
	for _, c := range []struct {
		bits      int
		ranks, mb uint64
	}{
		{39, 1, 64 << 10}, {39, 2, 64 << 10}, {39, 128, 1 << 10}, {39, 1000, 128}, {42, 1000, 1 << 10},
		{47, 512, 64 << 10}, {47, 4096, 8 << 10}, {48, 1024, 64 << 10}, {48, 4096, 16 << 10},
	} {
		require.Equal(t, c.mb<<20, usualPartition(c.ranks, 1<<(c.bits-2)), "%+v", c)
	}
}
