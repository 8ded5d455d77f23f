package file

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/msg/comm"
)

// is returns an error unless a call has ended with this one.
func is(what string, err, want error) error {
	if errors.Is(err, want) {
		return nil
	}
	return fmt.Errorf("%s: %w, not %v", what, err, want)
}

// hasSize returns an error unless the file is so long.
func (f *File) hasSize(want int64) error {
	if n, err := f.Size(); n != want || err != nil {
		return fmt.Errorf("%d bytes, not %d: %w", n, want, err)
	}
	return nil
}

// onRanks runs f on one rank, and on two.
func onRanks(t *testing.T, f func(c *comm.Comm, name string) error) {
	for n := 1; n <= 2; n++ {
		name := filepath.Join(t.TempDir(), "file")
		require.NoError(t, os.WriteFile(name, []byte("0123456789"), 0o600))
		ranks(t, n, func(c *comm.Comm) error { return f(c, name) })
	}
}

// in calls the functions until one returns an error.
func in(steps ...func() error) error {
	for i, do := range steps {
		if err := do(); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
	}
	return nil
}

// A file becomes as long as the program says, and no call does anything to one that is read, or closed.
func TestSizes(t *testing.T) {
	onRanks(t, func(c *comm.Comm, name string) error {
		f, err := Open(c, name, ReadWrite, nil, nil)
		if err != nil {
			return err
		}
		err = in(
			func() error { return f.hasSize(10) },
			func() error { return f.SetSize(100) },
			func() error { return f.hasSize(100) },
			func() error { return f.Preallocate(50) },
			func() error { return f.hasSize(100) },
			func() error { return f.Preallocate(200) },
			func() error { return f.hasSize(200) },
			func() error { return is("negative size", f.SetSize(-1), ErrArgument) },
			func() error { return f.SetSize(5) },
			func() error { return f.hasSize(5) },
			func() error { return f.SetAtomic(true) },
			f.Sync, f.Close,
			func() error { return is("sync", f.Sync(), ErrClosed) },
			func() error { return is("set size", f.SetSize(7), ErrClosed) },
			func() error { return is("set atomicity", f.SetAtomic(false), ErrClosed) },
			func() error { return is("close", f.Close(), ErrClosed) },
			func() error { _, err := f.Size(); return is("size", err, ErrClosed) })
		if err != nil || !f.Atomic() {
			return fmt.Errorf("atomic: %v: %w", f.Atomic(), err)
		}
		if f, err = Open(c, name, ReadOnly, nil, nil); err != nil {
			return err
		}
		write := &Access{Write: true, Place: Own, Memory: comm.Bytes(make([]byte, 3))}
		return in(
			func() error { return is("set size", f.SetSize(100), ErrReadOnly) },
			func() error { return is("preallocate", f.Preallocate(100), ErrReadOnly) },
			func() error { _, err := f.DoAll(write); return is("write", err, ErrReadOnly) },
			func() error { return f.hasSize(5) },
			f.Sync, f.Close)
	})
}

// Pointers of a file that is opened to append are at its end. They are where the program sets them, and begin anew with
// a view.
func TestPointers(t *testing.T) {
	onRanks(t, func(c *comm.Comm, name string) error {
		f, err := Open(c, name, ReadWrite|Append, nil, nil)
		if err != nil {
			return err
		}
		at := func(own, shared int64) func() error {
			return func() error {
				a, err := f.Position()
				b, err2 := f.PositionShared()
				if a != own || b != shared {
					return fmt.Errorf("at %d and %d, not at %d and %d: %w", a, b, own, shared, errors.Join(err, err2))
				}
				return f.agree(errors.Join(err, err2))
			}
		}
		return in(
			at(10, 10),
			func() error { return f.SeekShared(-4, FromEnd) },
			at(10, 6),
			func() error { return f.SeekShared(1, FromHere) },
			at(10, 7),
			func() error { return is("seek", f.SeekShared(-8, FromHere), ErrArgument) },
			at(10, 7),
			func() error { return f.SetView(ByteView(), nil, nil) },
			at(0, 0),
			f.Close)
	})
}

// A collective access that has begun ends by the same kind of call, and no other collective one is made meanwhile.
func TestSplit(t *testing.T) {
	onRanks(t, func(c *comm.Comm, name string) error {
		f, err := Open(c, name, ReadWrite, nil, nil)
		if err != nil {
			return err
		}
		b := make([]byte, 10)
		read := &Access{Place: At(0), Memory: comm.Bytes(b)}
		return in(
			func() error { return is("end", f.End(false, At(0)), ErrNoSplit) },
			func() error { _, err := f.Begin(read); return err },
			func() error { _, err := f.Begin(read); return is("begin", err, ErrSplit) },
			func() error { _, err := f.DoAll(read); return is("read", err, ErrSplit) },
			func() error { _, err := f.Do(read); return err },
			func() error { return is("sync", f.Sync(), ErrSplit) },
			func() error { return is("set size", f.SetSize(1), ErrSplit) },
			func() error { return is("set atomicity", f.SetAtomic(true), ErrSplit) },
			func() error { return is("seek", f.SeekShared(0, FromStart), ErrSplit) },
			func() error { return is("set view", f.SetView(ByteView(), nil, nil), ErrSplit) },
			func() error { return is("close", f.Close(), ErrSplit) },
			func() error { return is("end of a write", f.End(true, At(0)), ErrNoSplit) },
			func() error { return is("end of another place", f.End(false, Own), ErrNoSplit) },
			func() error { return f.End(false, At(5)) },
			func() error { return is("end again", f.End(false, At(0)), ErrNoSplit) },
			func() error { _, err := f.DoAll(read); return err },
			func() error {
				if string(b) != "0123456789" {
					return fmt.Errorf("%q", b)
				}
				return nil
			},
			f.Close)
	})
}

// A view has displacements that go up, and ends in the file; bytes are there twice only where nobody writes.
func TestViews(t *testing.T) {
	type_ := func(lengths, at []int64) *datatype.Type {
		one, err := datatype.Indexed(lengths, at, datatype.Byte)
		require.NoError(t, err)
		return one
	}
	back := type_([]int64{2, 2}, []int64{4, 0})
	twice := type_([]int64{3, 3}, []int64{0, 2})
	onRanks(t, func(c *comm.Comm, name string) error {
		for _, mode := range []Mode{ReadWrite, ReadOnly} {
			f, err := Open(c, name, mode, nil, nil)
			if err != nil {
				return err
			}
			set := func(displacement int64, t *datatype.Type) error {
				return f.SetView(View{Displacement: displacement, Element: datatype.Byte, Type: t}, nil, nil)
			}
			var overlaps error
			if mode == ReadWrite {
				overlaps = ErrType
			}
			err = in(
				func() error { return is("back", set(0, back), ErrType) },
				func() error { return is("behind", set(math.MaxInt64-4, twice), ErrType) },
				func() error { return set(math.MaxInt64-4, datatype.Int32) },
				func() error { return is("negative", set(-2, datatype.Int32), ErrArgument) },
				func() error { return is("twice", set(0, twice), overlaps) },
				f.Close)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// A file gives back what it has of the system, and is gone if the program wants that. One that is not there is made
// only if it is asked for.
func TestClose(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	ranks(t, 1, func(c *comm.Comm) error {
		if _, err := Open(c, name, ReadOnly, nil, nil); !errors.Is(err, syscall.ENOENT) {
			return err
		}
		before, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			return err
		}
		for range 5 {
			f, err := Open(c, name, WriteOnly|Create|Exclusive|DeleteOnClose, nil, nil)
			if err != nil {
				return err
			}
			_, err = Open(c, name, WriteOnly|Create|Exclusive, nil, nil)
			if err := in(func() error { return is("again", err, syscall.EEXIST) }, f.Close); err != nil {
				return err
			}
			if _, err := os.Stat(name); !errors.Is(err, os.ErrNotExist) {
				return fmt.Errorf("it is still there: %w", err)
			}
		}
		after, err := os.ReadDir("/proc/self/fd")
		if len(after) > len(before)+2 { // the run-time system of Go may want some
			return fmt.Errorf("%d descriptors, before %d: %w", len(after), len(before), err)
		}
		return err
	})
}

// A file whose size the system does not tell is read as far as it goes.
func TestFileWithoutSize(t *testing.T) {
	ranks(t, 2, func(c *comm.Comm) error {
		f, err := Open(c, "/proc/self/limits", ReadOnly, nil, nil)
		if err != nil {
			return err
		}
		b, rank := make([]byte, 4), f.ranks.Rank()
		n, err := f.DoAll(&Access{Place: At(int64(26 * rank)), Memory: comm.Bytes(b)})
		if want := []string{"Limi", "Soft"}[rank]; err != nil || string(b[:n]) != want {
			return fmt.Errorf("%q is not %q: %w", b[:n], want, err)
		}
		return f.Close()
	})
}
