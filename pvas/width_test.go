package pvas

import (
	"math/bits"
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// Kernels have addresses of these widths. What programs get by asking for more does not count.
func TestWidth(t *testing.T) {
	for _, m := range machines {
		for _, has := range []int{39, 42, 47, 48, 52} {
			const below = 16 << 30 // about what the kernel leaves above a stack
			require.Equal(t, min(has, m.bits), m.widthOf([][2]uintptr{{atPhnum, 9}, {atRandom, 1<<has - below}}))
		}
		require.Equal(t, m.bits, m.widthOf(nil))
	}
}

// No mapping that the kernel has placed has a higher address, and partitions lie below.
func TestAddressBits(t *testing.T) {
	maps, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	m := regexp.MustCompile(`(?m)^[0-9a-f]+-([0-9a-f]+) .*\[(?:stack|vdso)\]$`).FindAllSubmatch(maps, -1)
	require.NotEmpty(t, m, "%s", maps)
	for _, end := range m {
		end, err := strconv.ParseUint(string(end[1]), 16, 64)
		require.NoError(t, err)
		require.Equal(t, addressBits(), bits.Len64(end-1))
	}
	s := newSpace(t, 2)
	require.LessOrEqual(t, s.reserved.End, uint64(1)<<addressBits())
	require.LessOrEqual(t, s.reserved.Len(), mostReserved())
}

// Partitions become smaller where addresses are few, and hold a stack.
func TestPartitionsOfNarrowAddresses(t *testing.T) {
	limitStack(t, usual)
	for _, c := range []struct {
		bits      int
		ranks, mb uint64
	}{
		{39, 1, 64 << 10}, {39, 2, 64 << 10}, {39, 128, 1 << 10}, {39, 1000, 128}, {42, 1000, 1 << 10},
		{47, 512, 64 << 10}, {47, 4096, 8 << 10}, {47, 2048, 16 << 10}, {48, 1024, 64 << 10}, {48, 4096, 16 << 10},
	} {
		require.Equal(t, c.mb<<20, usualPartition(c.ranks, 1<<(c.bits-2)), "%+v", c)
	}
}
