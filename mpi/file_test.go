package mpi

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/datatype"
)

// throughNothing writes through a view without bytes, which takes none.
func throughNothing(f *File) error {
	none, err := datatype.Contiguous(0, datatype.Byte)
	if err = errors.Join(err, f.SetView(0, datatype.Byte, none)); err != nil {
		return err
	}
	if n, err := f.Write([]byte("lost")); n != 0 || err != io.ErrShortWrite {
		return fmt.Errorf("write: %d: %w", n, err)
	}
	if n, err := f.WriteAt([]byte("lost"), 0); n != 0 || err != io.ErrShortWrite {
		return fmt.Errorf("write at: %d: %w", n, err)
	}
	if n, err := WriteFileAll(f, FilePointer, []byte("lost")); n != 0 || err != nil {
		return fmt.Errorf("write all: %d: %w", n, err)
	}
	return nil
}

// TestFile: a file is a file of Go for each rank, and one for all.
func TestFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	inOneSpace(t, 3, func(c *Comm) error {
		f, err := OpenFile(c, name, FileCreate|FileReadWrite, map[string]string{"cb_buffer_size": "70000"})
		if err != nil {
			return err
		}
		r := c.Rank()
		if got := f.Hints()["cb_buffer_size"]; got != "70000" {
			return fmt.Errorf("hint %q", got)
		}
		if _, err := f.WriteAt(fmt.Appendf(nil, "rank %d\n", r), int64(7*r)); err != nil {
			return err
		}
		if err := c.Barrier(); err != nil {
			return err
		}
		if end, err := f.Seek(-7, io.SeekEnd); err != nil || end != 14 {
			return fmt.Errorf("seek: %d: %w", end, err)
		}
		if text, err := io.ReadAll(f); err != nil || string(text) != "rank 2\n" {
			return fmt.Errorf("read %q: %w", text, err)
		}
		if n, err := f.ReadAt(make([]byte, 10), 20); n != 1 || err != io.EOF {
			return fmt.Errorf("read at the end: %d: %w", n, err)
		}
		if err := f.SetView(21, datatype.Float64, datatype.Float64); err != nil {
			return err
		}
		column := Vector([]float64{1, 0, 2, 0, 3, 0}, 3, 1, 2)
		if n, err := column.WriteFileAll(f, SharedFilePointer); err != nil || n != 3 {
			return fmt.Errorf("write ordered: %d: %w", n, err)
		}
		all := make([]float64, 10)
		if n, err := ReadFileAll(f, FileOffset(0), all); err != nil || n != 9 || all[3] != 1 || all[8] != 3 {
			return fmt.Errorf("read all: %d %v: %w", n, all, err)
		}
		if err := errors.Join(f.SetAtomic(true), f.Sync(), f.SetSize(5)); err != nil {
			return err
		}
		if n, err := f.Size(); err != nil || n != 5 {
			return fmt.Errorf("size %d: %w", n, err)
		}
		if err := throughNothing(f); err != nil {
			return err
		}
		element := []*datatype.Type{datatype.Int32, datatype.Float64}[r%2]
		if err := f.SetView(0, element, element); !errors.Is(err, ErrNotSame) {
			return fmt.Errorf("views of different elements: %w", err)
		}
		return f.Close()
	})
	require.NoError(t, DeleteFile(name))
	_, err := os.Stat(name)
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// TestFileErrors: what is wrong for one rank is an error of all, by its cause; a file that is not there refuses calls.
func TestFileErrors(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	inOneSpace(t, 2, func(c *Comm) error {
		want := func(cause, err error) {
			if !errors.Is(err, cause) {
				t.Errorf("rank %d: %v is not %v", c.Rank(), err, cause)
			}
		}
		_, err := OpenFile(c, name, FileReadOnly, nil)
		want(fs.ErrNotExist, err)
		_, err = OpenFile(c, name, FileReadOnly|FileCreate, nil)
		want(ErrFileMode, err)
		_, err = OpenFile(c, name, FileReadWrite|FileCreate*FileMode(c.Rank()), nil)
		want(ErrNotSame, err)
		f, err := OpenFile(c, name, FileWriteOnly|FileCreate, nil)
		if err != nil {
			return err
		}
		_, err = ReadFileAll(f, FilePointer, []int{1})
		want(ErrFileWriteOnly, err)
		backwards, err := datatype.Indexed([]int64{1, 1}, []int64{3, 0}, datatype.Byte)
		if err != nil {
			return err
		}
		view := datatype.Byte
		if c.Rank() == 1 {
			view = backwards
		}
		want(ErrFileView, f.SetView(0, datatype.Byte, view))
		want(datatype.ErrType, f.SetView(0, nil, nil))
		if err := f.Close(); err != nil {
			return err
		}
		for _, closed := range []*File{f, nil, new(File)} {
			want(ErrFileClosed, closed.Close())
			_, err := closed.Read(make([]byte, 1))
			want(ErrFileClosed, err)
			_, err = WriteFileAll(closed, SharedFilePointer, []int{1})
			want(ErrFileClosed, err)
			_, err = closed.Seek(0, io.SeekStart)
			want(ErrFileClosed, err)
			want(ErrFileClosed, closed.Sync())
		}
		return nil
	})
}
