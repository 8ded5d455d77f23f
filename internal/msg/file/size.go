package file

import (
	"fmt"
	"syscall"

	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/trace"
)

// Size returns the length of the file in bytes.
func (f *File) Size() (int64, error) {
	f.mu.Lock() // Close may not give the descriptor back meanwhile
	defer f.mu.Unlock()
	if f.gone() {
		return 0, f.wrap("get the size of", ErrClosed)
	}
	n, err := sys.FileSize(f.mover.fd)
	return n, f.wrap("get the size of", err)
}

// SetSize makes the file shorter, or longer. It is collective; all ranks pass the same.
func (f *File) SetSize(size int64) error {
	return f.wrap("set the size of",
		f.resize(setsSize, size, func() error { return syscall.Ftruncate(f.mover.fd, size) }))
}

// Preallocate makes room for so many bytes, which are not written. It is collective; all ranks pass the same.
func (f *File) Preallocate(size int64) error {
	return f.wrap("preallocate", f.resize(preallocates, size, func() error { return sys.Allocate(f.mover.fd, size) }))
}

// resize has the first rank change the file.
func (f *File) resize(c call, size int64, change func() error) error {
	err := f.usable()
	switch {
	case err != nil:
		return err
	case size < 0:
		err = fmt.Errorf("%w: the size %d is negative", ErrArgument, size)
	case f.mode&ReadOnly != 0:
		err = ErrReadOnly
	default:
		err = f.splitError()
	}
	if err = f.meet(c, err, size); err != nil {
		return err
	}
	if f.ranks.Rank() == 0 {
		now, bad := sys.FileSize(f.mover.fd)
		if err = bad; err == nil && size > now {
			err = mayReach(size)
		}
		if err == nil {
			err = change()
		}
	}
	return f.agree(err)
}

// Sync has the system write what this rank has written to the device. It is collective.
func (f *File) Sync() error {
	if err := f.usable(); err != nil {
		return f.wrap("sync", err)
	}
	err := f.splitError()
	call := f.ranks.BeginTally(trace.FileSync)
	if err == nil && f.mode&ReadOnly == 0 {
		err = syscall.Fsync(f.mover.fd)
	}
	err = f.meet(syncs, err)
	call.End(0, -1, err)
	return f.wrap("sync", err)
}

// SetAtomic says whether accesses of different ranks to the same bytes happen one after the other. It is collective;
// all ranks pass the same.
func (f *File) SetAtomic(on bool) error {
	if err := f.usable(); err != nil {
		return f.wrap("set the atomicity of", err)
	}
	number := int64(0)
	if on {
		number = 1
	}
	if err := f.meet(setsAtomicity, f.splitError(), number); err != nil {
		return f.wrap("set the atomicity of", err)
	}
	f.mu.Lock()
	f.atomic = on
	f.mu.Unlock()
	return nil
}

// Atomic tells whether they do.
func (f *File) Atomic() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.atomic
}
