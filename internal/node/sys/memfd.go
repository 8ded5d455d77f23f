package sys

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// RlimitFsize is the limit on the size of files, for SoftLimit. Going over it is
// answered by a signal that ends a Go program, so it must be asked first.
const RlimitFsize = unix.RLIMIT_FSIZE

// SealedMemfd returns a file of size bytes of zeros that exists in memory only
// and has no name in any file system. It is sparse, and sealed: nobody can make
// it longer or shorter, so memory mapped from it cannot vanish (SIGBUS) later.
// The descriptor closes on exec. name is what /proc/PID/maps shows.
func SealedMemfd(name string, size int64) (*os.File, error) {
	fd, err := memfd(name, unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), name)
	if err := unix.Ftruncate(fd, size); err != nil {
		f.Close()
		return nil, fmt.Errorf("ftruncate of memfd %s to %d bytes: %w", name, size, err)
	}
	seals := unix.F_SEAL_GROW | unix.F_SEAL_SHRINK | unix.F_SEAL_SEAL
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals); err != nil {
		f.Close()
		return nil, fmt.Errorf("fcntl(F_ADD_SEALS) of memfd %s: %w", name, err)
	}
	return f, nil
}

// PunchHole gives the pages of a part of a file in memory back: it is zeros. Offset and length are multiples of the
// page.
func PunchHole(f *os.File, offset, length int64) error {
	fd, err := Fileno(f)
	if err != nil {
		return err
	}
	return unix.Fallocate(fd, unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, offset, length)
}

// memfd returns a descriptor that closes on exec.
func memfd(name string, flags int) (fd int, err error) {
	flags |= unix.MFD_CLOEXEC
	// From 6.3 on, the kernel logs a complaint about a memfd that does not say
	// whether it may be executed; before 6.3 it refuses the flag that says so.
	fd, err = unix.MemfdCreate(name, flags|unix.MFD_NOEXEC_SEAL)
	if errors.Is(err, syscall.EINVAL) {
		fd, err = unix.MemfdCreate(name, flags)
	}
	if err != nil {
		return 0, fmt.Errorf("memfd_create %s: %w", name, err)
	}
	return fd, nil
}

// ReservedPage is the size of the pages of MapReserved.
const ReservedPage = 2 << 20

// MapReserved maps pages that the administrator has reserved (hugetlbfs) at addr, in place of what was there. addr and
// length are multiples of ReservedPage. The memory is zeros, which all processes of this address space may read and
// write, and which a child by fork does not have. The error wraps ENOSPC if too few pages are free. After an error what
// was there is there still.
//
// All the pages are taken here. One that is taken when it is first touched may be missing then (SIGBUS): the kernel's
// own promise heeds neither cpusets nor limits of a cgroup.
func MapReserved(addr, length uintptr) error {
	fd, err := memfd("pvas-pages", unix.MFD_HUGETLB|unix.MFD_HUGE_2MB)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	// Too much for the pool is refused by the first mapping, which takes no page from others meanwhile.
	promise, err := Mmap(0, length, ProtNone, MapShared, fd, 0)
	if err == nil {
		err = allocate(fd, int64(length))
		_ = Munmap(promise, length) // fails only for a wrong argument
	}
	if errors.Is(err, syscall.ENOMEM) {
		err = syscall.ENOSPC
	}
	if err != nil {
		return fmt.Errorf("%d MiB of reserved pages: %w", length>>20, err)
	}
	if _, err = Mmap(addr, length, ProtRead|ProtWrite, MapShared|MapFixed, fd, 0); err != nil {
		return err
	}
	_ = Madvise(addr, length, MadvDontFork) // fails only for a wrong argument
	return nil
}

// allocate makes the pages of a memfd. Signals interrupt it; pages that it has made by then stay.
func allocate(fd int, length int64) error {
	for {
		if err := unix.Fallocate(fd, 0, 0, length); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// DupCloexec returns a second descriptor for the file behind fd, which closes on
// exec and is the caller's to close. It fails with EBADF if fd is not open.
func DupCloexec(fd int, name string) (*os.File, error) {
	dup, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("fcntl(F_DUPFD_CLOEXEC) of descriptor %d: %w", fd, err)
	}
	return os.NewFile(uintptr(dup), name), nil
}
