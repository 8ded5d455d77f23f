package sys

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Start runs a program as a child of the calling thread and returns its pid.
// files become its descriptors 0, 1, 2 and so on. It is os.StartProcess without
// the handle, for a caller that reaps with Reap.
func Start(path string, argv, env []string, dir string, files []*os.File, attr *syscall.SysProcAttr) (int, error) {
	fds := make([]uintptr, len(files))
	for i, f := range files {
		fds[i] = f.Fd()
	}
	pid, err := syscall.ForkExec(path, argv, &syscall.ProcAttr{Dir: dir, Env: env, Files: fds, Sys: attr})
	if err == unix.ENOEXEC {
		err = fmt.Errorf("%w: it is neither a binary of this machine nor a script with #! as its first bytes", err)
	}
	if err != nil {
		return 0, fmt.Errorf("start %s: %w", path, err)
	}
	return pid, nil
}

// ProgramFile makes an anonymous file in memory for a program: executable, gone
// with its last user, never on disk. name is only for people who look at /proc.
func ProgramFile(name string) (*os.File, error) {
	flags := unix.MFD_CLOEXEC | unix.MFD_ALLOW_SEALING
	// MFD_EXEC is unknown before Linux 6.3, where every such file is executable.
	fd, err := unix.MemfdCreate(name, flags|unix.MFD_EXEC)
	if err == unix.EINVAL {
		fd, err = unix.MemfdCreate(name, flags)
	}
	if err != nil {
		return nil, fmt.Errorf("memfd_create %s: %w", name, err)
	}
	return os.NewFile(uintptr(fd), name), nil
}

// SealProgram forbids every later change of a file made by ProgramFile.
func SealProgram(f *os.File) error {
	_, err := unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS,
		unix.F_SEAL_WRITE|unix.F_SEAL_GROW|unix.F_SEAL_SHRINK|unix.F_SEAL_SEAL)
	if err != nil {
		return fmt.Errorf("seal program file: %w", err)
	}
	return nil
}
