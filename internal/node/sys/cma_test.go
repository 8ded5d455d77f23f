package sys

import (
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A process may always read itself, so this works under every security module.
func TestReadProcess(t *testing.T) {
	src := []byte("sixteen bytes...")
	dst := make([]byte, len(src))
	n, err := ReadProcess(os.Getpid(), AddrOf(src), dst)
	require.NoError(t, err)
	require.Equal(t, len(src), n)
	require.Equal(t, src, dst)

	n, err = ReadProcess(os.Getpid(), AddrOf(src), nil)
	require.NoError(t, err)
	require.Zero(t, n)

	_, err = ReadProcess(os.Getpid(), 0, dst)
	require.ErrorIs(t, err, syscall.EFAULT, "page 0 is not mapped")
	_, err = ReadProcess(1<<30, AddrOf(src), dst)
	require.ErrorIs(t, err, syscall.ESRCH, "no such process")
}

func TestHardLimit(t *testing.T) {
	require.GreaterOrEqual(t, HardLimit(RlimitNofile), SoftLimit(RlimitNofile))
	require.EqualValues(t, uint64(Unlimited), HardLimit(-1))
}
