package mpi

import (
	"fmt"
	"io"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/msg/file"
	"github.com/gopvas/gopvas/mpi/fault"
)

// File is a file that the ranks of a communicator have opened together: MPI 5.0 chapter 14. A rank sees of it what its
// view shows, a stream of elements; after OpenFile that is all bytes. Each rank has a pointer into its stream, and all
// have one in common.
//
// A File is an io.Reader, io.Writer, io.Seeker, io.ReaderAt, io.WriterAt and io.Closer on the bytes of the stream, at
// this rank's pointer or at an offset. ReadFile, WriteFile and their All forms are for elements of other types. Calls
// that are not collective may be made by several goroutines at a time.
type File file.File

// FileError is an error of a call on a file: the call, the file, the offset, the rank that it happened to, and the
// cause. It wraps an error of the system, such as fs.ErrNotExist, or one of the causes below.
type FileError = fault.FileError

// Causes of errors of files that are not errors of the system.
var (
	ErrFileMode       = file.ErrMode       // FileMode makes no sense
	ErrFileView       = file.ErrType       // a datatype cannot describe a file
	ErrFileElement    = file.ErrElement    // a length is no multiple of the element of the view
	ErrFileReadOnly   = file.ErrReadOnly   // a write to a file that was opened to read
	ErrFileWriteOnly  = file.ErrWriteOnly  // a read of a file that was opened to write
	ErrFileSequential = file.ErrSequential // a place in a file that was opened with FileSequential
	ErrFileClosed     = file.ErrClosed     // a call after Close, or on a nil or zero File
	ErrNotSame        = file.ErrNotSame    // ranks of a collective call pass different arguments
)

// FileMode says how a file is opened. One of the first three is given, with any of the others.
type FileMode int

const (
	FileReadOnly      = FileMode(file.ReadOnly)
	FileWriteOnly     = FileMode(file.WriteOnly)
	FileReadWrite     = FileMode(file.ReadWrite)
	FileCreate        = FileMode(file.Create)        // make it if it is not there
	FileExclusive     = FileMode(file.Exclusive)     // with FileCreate: it must not be there
	FileAppend        = FileMode(file.Append)        // pointers begin at its end
	FileDeleteOnClose = FileMode(file.DeleteOnClose) // it is removed by Close
	FileSequential    = FileMode(file.Sequential)    // only the shared pointer is used
)

// FilePlace says where in the stream an access begins.
type FilePlace file.Place

// FileOffset is a place that the call names, in elements of the view from its beginning. After OpenFile these are
// bytes, whatever the type of the buffer.
func FileOffset(element int64) FilePlace { return FilePlace(file.At(element)) }

var (
	// FilePointer is where this rank's pointer is, which moves on by what was accessed.
	FilePointer = FilePlace(file.Own)

	// SharedFilePointer is where the pointer is that all ranks have in common. In a collective call each rank accesses
	// what follows that of the rank before it.
	SharedFilePointer = FilePlace(file.Shared)
)

// OpenFile opens a file on all ranks of a communicator, or on none. It is collective; all pass the same name and mode.
// Hints may be nil. One is followed, see Hints: cb_buffer_size is how much of a file a rank assembles in memory.
//
// MPI 5.0 section 14.2.1.
func OpenFile(c *Comm, name string, mode FileMode, hints map[string]string) (*File, error) {
	info := new(comm.Info)
	for key, value := range hints {
		info.Set(key, value)
	}
	f, err := file.Open(c.inner(), name, file.Mode(mode), info, nil)
	return (*File)(f), err
}

// DeleteFile removes a file that no rank has open.
//
// MPI 5.0 section 14.2.3.
func DeleteFile(name string) error { return file.Delete(name) }

// noFile is what a nil File is: a file that was never opened.
var noFile = new(file.File)

func (f *File) inner() *file.File {
	if f == nil {
		return noFile
	}
	return (*file.File)(f)
}

// Close ends the use of the file. It is collective: no rank returns before all have called it.
//
// MPI 5.0 section 14.2.2.
func (f *File) Close() error { return f.inner().Close() }

// SetView has the file show the packed stream of a datatype, repeated from a byte of the file on, in elements of
// another datatype. Displacements of the datatype go up, and its size is a multiple of the element's. Ranks may have
// different views. Both pointers are at the beginning then. It is collective.
//
// MPI 5.0 section 14.3.1.
func (f *File) SetView(displacement int64, element, filetype *datatype.Type) error {
	var wrong error
	if element == nil || filetype == nil || element.Align() == 0 || filetype.Align() == 0 {
		wrong = fmt.Errorf("%w: %w", ErrFileView, datatype.ErrType)
	}
	return f.inner().SetView(file.View{Displacement: displacement, Element: element, Type: filetype}, nil, wrong)
}

// Size returns the length of the file in bytes.
//
// MPI 5.0 section 14.2.6.
func (f *File) Size() (int64, error) { return f.inner().Size() }

// SetSize makes the file shorter, or longer. It is collective; all ranks pass the same.
//
// MPI 5.0 section 14.2.4.
func (f *File) SetSize(bytes int64) error { return f.inner().SetSize(bytes) }

// SetAtomic says whether accesses of several ranks to the same bytes happen one after the other, each as a whole. It is
// collective; all ranks pass the same.
//
// MPI 5.0 section 14.6.1.
func (f *File) SetAtomic(on bool) error { return f.inner().SetAtomic(on) }

// Sync has the system write to the device what this rank has written. It is collective.
//
// MPI 5.0 section 14.6.1.
func (f *File) Sync() error { return f.inner().Sync() }

// Hints returns the hints that the library follows.
func (f *File) Hints() map[string]string {
	info, hints := f.inner().Info(), map[string]string{}
	for i := range info.Len() {
		hints[info.Key(i)], _ = info.Get(info.Key(i))
	}
	return hints
}

// Seek sets this rank's pointer, in bytes of the stream, and returns where it is: io.Seeker.
func (f *File) Seek(offset int64, whence int) (int64, error) {
	from := file.Whence(-1)
	switch whence {
	case io.SeekStart:
		from = file.FromStart
	case io.SeekCurrent:
		from = file.FromHere
	case io.SeekEnd:
		from = file.FromEnd
	}
	return f.inner().SeekByte(offset, from)
}

// Read reads bytes at this rank's pointer: io.Reader.
func (f *File) Read(p []byte) (int, error) {
	n, err := f.inner().Do(&file.Access{Place: file.Own, Memory: comm.Bytes(p)})
	if n == 0 && err == nil && len(p) > 0 {
		err = io.EOF
	}
	return n, err
}

// ReadAt reads bytes from an offset in the stream, at which an element of the view begins: io.ReaderAt.
func (f *File) ReadAt(p []byte, offset int64) (int, error) {
	place, err := f.inner().AtByte(offset)
	n, err := f.inner().Do(&file.Access{Place: place, Memory: comm.Bytes(p), Wrong: err})
	if n < len(p) && err == nil {
		err = io.EOF
	}
	return n, err
}

// Write writes bytes at this rank's pointer: io.Writer.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.inner().Do(&file.Access{Write: true, Place: file.Own, Memory: comm.Bytes(p)})
	return n, short(n, p, err)
}

// short is io.ErrShortWrite if less was written without an error: through a view without bytes.
func short(n int, p []byte, err error) error {
	if n < len(p) && err == nil {
		return io.ErrShortWrite
	}
	return err
}

// WriteAt writes bytes to an offset in the stream, at which an element of the view begins: io.WriterAt.
func (f *File) WriteAt(p []byte, offset int64) (int, error) {
	place, err := f.inner().AtByte(offset)
	n, err := f.inner().Do(&file.Access{Write: true, Place: place, Memory: comm.Bytes(p), Wrong: err})
	return n, short(n, p, err)
}

// ReadFile reads elements, and returns how many: fewer than there is room for at the end of the file.
//
// MPI 5.0 section 14.4 (MPI_File_read, MPI_File_read_at, MPI_File_read_shared).
func ReadFile[T any](f *File, at FilePlace, buf []T) (int, error) { return Whole(buf).ReadFile(f, at) }

// WriteFile writes elements, and returns how many.
//
// MPI 5.0 section 14.4 (MPI_File_write, MPI_File_write_at, MPI_File_write_shared).
func WriteFile[T any](f *File, at FilePlace, buf []T) (int, error) {
	return Whole(buf).WriteFile(f, at)
}

// ReadFileAll is ReadFile of all ranks together, each with its own place and buffer. Ranks read for one another where
// that is faster: in one address space a peer writes into buf. All ranks get an error, or none.
//
// MPI 5.0 section 14.4 (MPI_File_read_all, MPI_File_read_at_all, MPI_File_read_ordered).
func ReadFileAll[T any](f *File, at FilePlace, buf []T) (int, error) {
	return Whole(buf).ReadFileAll(f, at)
}

// WriteFileAll is WriteFile of all ranks together, as ReadFileAll is ReadFile.
//
// MPI 5.0 section 14.4 (MPI_File_write_all, MPI_File_write_at_all, MPI_File_write_ordered).
func WriteFileAll[T any](f *File, at FilePlace, buf []T) (int, error) {
	return Whole(buf).WriteFileAll(f, at)
}

// ReadFile is the function ReadFile, into a view.
func (v View[T]) ReadFile(f *File, at FilePlace) (int, error) {
	return accessFile(f, (*file.File).Do, false, at, v.incoming)
}

// WriteFile is the function WriteFile, of a view.
func (v View[T]) WriteFile(f *File, at FilePlace) (int, error) {
	return accessFile(f, (*file.File).Do, true, at, v.outgoing)
}

// ReadFileAll is the function ReadFileAll, into a view.
func (v View[T]) ReadFileAll(f *File, at FilePlace) (int, error) {
	return accessFile(f, (*file.File).DoAll, false, at, v.incoming)
}

// WriteFileAll is the function WriteFileAll, of a view.
func (v View[T]) WriteFileAll(f *File, at FilePlace) (int, error) {
	return accessFile(f, (*file.File).DoAll, true, at, v.outgoing)
}

// accessFile does an access, and returns the number of elements.
func accessFile(f *File, do func(*file.File, *file.Access) (int, error), write bool, at FilePlace,
	memory func() (comm.Buffer, comm.Element, error)) (int, error) {
	b, of, wrong := memory()
	n, err := do(f.inner(), &file.Access{Write: write, Place: file.Place(at), Memory: b, Wrong: wrong})
	return n / max(1, of.Size()), err
}
