package sys

import (
	"errors"
	"os"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSealedMemfdKeepsItsSize(t *testing.T) {
	f, err := SealedMemfd("test", 12345)
	require.NoError(t, err)
	defer f.Close()
	info, err := f.Stat()
	require.NoError(t, err)
	require.EqualValues(t, 12345, info.Size())
	require.ErrorIs(t, f.Truncate(1), syscall.EPERM)
	require.ErrorIs(t, f.Truncate(1<<20), syscall.EPERM)
	_, err = SealedMemfd("test", -1)
	require.ErrorIs(t, err, syscall.EINVAL)
}

func TestDupCloexec(t *testing.T) {
	f, err := SealedMemfd("test", 1)
	require.NoError(t, err)
	d, err := DupCloexec(int(f.Fd()), "dup")
	require.NoError(t, err)
	require.NoError(t, f.Close())
	_, err = d.WriteAt([]byte{7}, 0)
	require.NoError(t, err, "the second descriptor is independent of the first")
	require.NoError(t, d.Close())
	_, err = DupCloexec(1<<30, "none")
	require.ErrorIs(t, err, syscall.EBADF)
}

func TestMapped(t *testing.T) {
	page := uintptr(os.Getpagesize())
	base, err := Mmap(0, 4*page, ProtNone, MapPrivate|MapAnonymous, -1, 0)
	require.NoError(t, err)
	defer Munmap(base, 4*page)
	require.NoError(t, Mprotect(base, page, ProtRead|ProtWrite))
	require.NoError(t, Munmap(base+2*page, page))
	for _, c := range []struct {
		from, n uintptr
		want    bool
	}{
		{0, 1, true}, {page - 1, 2, true}, {0, 2 * page, true}, {0, 2*page + 1, false},
		{2 * page, 1, false}, {3*page - 1, 2, false}, {3 * page, page, true}, {2 * page, 0, true},
		{0, ^uintptr(0), false},
	} {
		require.Equal(t, c.want, Mapped(base+c.from, c.n), "%+v", c)
	}
	require.False(t, Mapped(0, 1))
	require.False(t, Mapped(^uintptr(0)&^(page-1), page))
}

func TestFutex(t *testing.T) {
	var word atomic.Uint32
	require.NoError(t, FutexWait(&word, 1), "another value does not wait")
	require.NoError(t, FutexWake(&word))
	hidden, err := Mmap(0, uintptr(os.Getpagesize()), ProtNone, MapPrivate|MapAnonymous, -1, 0)
	require.NoError(t, err)
	defer Munmap(hidden, uintptr(os.Getpagesize()))
	err = FutexWait(wordAt(hidden), 0)
	require.True(t, errors.Is(err, syscall.EFAULT), "%v", err)
}
