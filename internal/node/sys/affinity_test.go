package sys

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// A kernel refuses masks shorter than its own: that of a machine that might have 2,048 CPUs takes 32 words.
func TestAffinityOfManyPossibleCPUs(t *testing.T) {
	for _, words := range []int{1, 16, 17, 32, 128, mostMask} {
		highest := words*wordBits - 1
		cpus, err := affinity(func(mask []uint64) error {
			if len(mask) < words {
				return unix.EINVAL
			}
			copy(mask, CPUMask([]int{3, highest}))
			return nil
		})
		require.NoError(t, err)
		require.Equal(t, []int{3, highest}, cpus)
	}
	_, err := affinity(func([]uint64) error { return unix.EINVAL })
	require.ErrorIs(t, err, unix.EINVAL, "it does not ask for ever")
	_, err = affinity(func([]uint64) error { return unix.EPERM })
	require.ErrorIs(t, err, unix.EPERM)
}

func TestAffinityHere(t *testing.T) {
	cpus, err := Affinity()
	require.NoError(t, err)
	require.NotEmpty(t, cpus)
	require.NoError(t, SetProcessAffinity(cpus))
	again, err := Affinity()
	require.NoError(t, err)
	require.Equal(t, cpus, again)
}
