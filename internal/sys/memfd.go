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
	const flags = unix.MFD_CLOEXEC | unix.MFD_ALLOW_SEALING
	// From 6.3 on, the kernel logs a complaint about a memfd that does not say
	// whether it may be executed; before 6.3 it refuses the flag that says so.
	fd, err := unix.MemfdCreate(name, flags|unix.MFD_NOEXEC_SEAL)
	if errors.Is(err, syscall.EINVAL) {
		fd, err = unix.MemfdCreate(name, flags)
	}
	if err != nil {
		return nil, fmt.Errorf("memfd_create %s: %w", name, err)
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

// DupCloexec returns a second descriptor for the file behind fd, which closes on
// exec and is the caller's to close. It fails with EBADF if fd is not open.
func DupCloexec(fd int, name string) (*os.File, error) {
	dup, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("fcntl(F_DUPFD_CLOEXEC) of descriptor %d: %w", fd, err)
	}
	return os.NewFile(uintptr(dup), name), nil
}
