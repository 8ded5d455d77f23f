package sys

import (
	"errors"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// IOVec is a piece of memory, as struct iovec is: of any process, so it is an address. The caller keeps the memory
// alive.
type IOVec = unix.RemoteIovec

// IOVecMax is how many pieces a call takes at most.
const IOVecMax = 1024

// ReadFileAt reads from an offset of a file into pieces of memory, at most IOVecMax of them. It returns
// fewer bytes at the end of the file. The error is an errno.
func ReadFileAt(fd int, to []IOVec, offset int64) (int, error) {
	return vectored(unix.SYS_PREADV, fd, to, offset)
}

// WriteFileAt writes pieces of memory, at most IOVecMax of them, to an offset of a file. It may write fewer
// bytes. The error is an errno.
func WriteFileAt(fd int, from []IOVec, offset int64) (int, error) {
	return vectored(unix.SYS_PWRITEV, fd, from, offset)
}

func vectored(call uintptr, fd int, pieces []IOVec, offset int64) (int, error) {
	if len(pieces) == 0 {
		return 0, nil
	}
	for {
		n, _, errno := unix.Syscall6(call, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(pieces))),
			uintptr(len(pieces)), uintptr(offset), 0, 0)
		switch errno {
		case 0:
			return int(n), nil
		case syscall.EINTR:
			continue
		}
		return 0, errno
	}
}

// FileSize returns the length of an open file, or disk.
func FileSize(fd int) (int64, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return 0, err
	}
	if st.Mode&unix.S_IFMT == unix.S_IFBLK {
		return unix.Seek(fd, 0, unix.SEEK_END)
	}
	return st.Size, nil
}

// Storage is where an open file lies.
type Storage struct {
	Caches bool      // nodes keep what they have read or written, and others see it late
	Local  bool      // other machines have other files of that name
	ID     [3]uint64 // of a local file: no other one has it
}

// StorageOf returns where an open file lies. A file system that is not known is one that all nodes share.
func StorageOf(fd int) (s Storage) {
	var st unix.Statfs_t
	if unix.Fstatfs(fd, &st) != nil {
		return s
	}
	switch st.Type {
	case unix.NFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC,
		unix.FUSE_SUPER_MAGIC, unix.V9FS_MAGIC, unix.AFS_SUPER_MAGIC:
		s.Caches = true
	case unix.TMPFS_MAGIC, unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC,
		unix.OVERLAYFS_SUPER_MAGIC:
		var x unix.Statx_t
		if unix.Statx(fd, "", unix.AT_EMPTY_PATH, unix.STATX_INO|unix.STATX_BTIME, &x) != nil {
			return s
		}
		s.Local = true
		s.ID = [3]uint64{uint64(x.Dev_major)<<32 | uint64(x.Dev_minor), x.Ino,
			uint64(x.Btime.Sec)*1e9 + uint64(x.Btime.Nsec)}
	}
	return s
}

// Allocate makes room for the first bytes of an open file, which becomes that long if it is shorter.
func Allocate(fd int, bytes int64) error {
	if bytes == 0 {
		return nil
	}
	err := unix.Fallocate(fd, 0, 0, bytes)
	if !errors.Is(err, unix.EOPNOTSUPP) {
		return err
	}
	size, err := FileSize(fd)
	if err == nil && size < bytes {
		err = unix.Ftruncate(fd, bytes)
	}
	return err
}

// LockFile locks a file until it is closed, against others that do the same. It does not block: if
// another one has the lock, that is an error.
func LockFile(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }

// ErrNoLocks means that a file system has no locks.
var ErrNoLocks = errors.New("the file system has no locks")

// LockRange locks the bytes of an open file from first up to end, against other open descriptions of the file, and
// waits for them. A lock to write excludes all others. The kernel gives it back when the process ends. The
// error is ErrNoLocks, or an errno.
func LockRange(fd int, write bool, first, end int64) error {
	kind := int16(unix.F_RDLCK)
	if write {
		kind = unix.F_WRLCK
	}
	return lockRange(fd, unix.F_OFD_SETLKW, kind, first, end)
}

// UnlockRange gives a lock of LockRange back.
func UnlockRange(fd int, first, end int64) error {
	return lockRange(fd, unix.F_OFD_SETLK, unix.F_UNLCK, first, end)
}

func lockRange(fd, how int, kind int16, first, end int64) error {
	if end <= first {
		return nil
	}
	l := unix.Flock_t{Type: kind, Whence: 0, Start: first, Len: end - first}
	for {
		err := unix.FcntlFlock(uintptr(fd), how, &l)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.ENOLCK), errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.EINVAL):
			return ErrNoLocks
		}
		return err
	}
}
