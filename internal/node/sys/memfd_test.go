package sys

import (
	"errors"
	"os"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
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

// Reserved pages take the place of what was there, or it stays: also where too few are left.
func TestMapReserved(t *testing.T) {
	total := testkit.ReservedPages(t, 3)
	size := uintptr(total+3) * ReservedPage
	at, err := Mmap(0, size, ProtRead|ProtWrite, MapPrivate|MapAnonymous|MapNoReserve, -1, 0)
	require.NoError(t, err)
	defer Munmap(at, size)
	at = (at + ReservedPage - 1) &^ (ReservedPage - 1)
	mem := Bytes(at, int(size-ReservedPage))
	mem[0], mem[len(mem)-1] = 1, 2
	require.ErrorIs(t, MapReserved(at, uintptr(len(mem))), syscall.ENOSPC)
	require.Equal(t, []byte{1, 2}, []byte{mem[0], mem[len(mem)-1]})
	require.Equal(t, os.Getpagesize(), testkit.PageSize(t, at))

	require.NoError(t, MapReserved(at, 3*ReservedPage))
	require.Equal(t, ReservedPage, testkit.PageSize(t, at+3*ReservedPage-1))
	require.Equal(t, os.Getpagesize(), testkit.PageSize(t, at+3*ReservedPage))
	require.Equal(t, make([]byte, 3*ReservedPage), mem[:3*ReservedPage])
	mem[3*ReservedPage-1] = 3
}
