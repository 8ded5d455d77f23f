package capi

import (
	"errors"
	"strings"
	"syscall"

	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/msg/file"
	"github.com/gopvas/gopvas/mpi/fault"
)

// openFile is what a handle of a file stands for.
type openFile struct {
	f               *file.File
	handle          File
	handler         *errhandler
	etype, filetype *typeObject // of the view
	datarep         *dataRep    // of the view
	begun           int         // bytes of a split collective operation
}

// opened returns the file of a handle.
func (p *Process) opened(h File) (*openFile, error) {
	if o := p.files.get(uintptr(h)); o != nil {
		return o, nil
	}
	return nil, wrongHandle(kindFile, uintptr(h))
}

// withoutSystem is the name of a file without the prefix by which programs name a POSIX file system.
func withoutSystem(name string) string { return strings.TrimPrefix(name, "ufs:") }

// fileModes are the numbers of the bits of file.Mode.
var fileModes = [...]int{MODE_APPEND, MODE_CREATE, MODE_DELETE_ON_CLOSE, MODE_EXCL, MODE_RDONLY, MODE_RDWR,
	MODE_SEQUENTIAL, MODE_UNIQUE_OPEN, MODE_WRONLY}

// fileMode is a mode for package file, which refuses other bits.
func fileMode(amode int) (mode file.Mode) {
	for i, bit := range fileModes {
		if amode&bit != 0 {
			amode, mode = amode&^bit, mode|1<<i
		}
	}
	return mode | file.Mode(amode)
}

// modeNumber is the inverse.
func modeNumber(mode file.Mode) (amode int) {
	for i, bit := range fileModes {
		if mode&(1<<i) != 0 {
			amode |= bit
		}
	}
	return amode
}

// File_open is MPI_File_open.
func (p *Process) File_open(c Comm, name CString, amode int, info Info, out WidePtr[File]) error {
	on, err := p.intra(c)
	if err != nil {
		return err
	}
	path, wrong := name.given()
	hints, err := p.hints(info)
	out.Set(FILE_NULL)
	f, err := file.Open(on.c, withoutSystem(path), fileMode(amode), hints, errors.Join(wrong, err))
	if err != nil {
		return err
	}
	bytes := predefinedType(BYTE)
	o := &openFile{f: f, handler: p.fileHandler, etype: bytes, filetype: bytes, datarep: nativeRep}
	o.handle = File(p.files.add(o))
	out.Set(o.handle)
	return nil
}

// File_close is MPI_File_close.
func (p *Process) File_close(h WidePtr[File]) error {
	o, err := p.opened(h.Get())
	if err != nil {
		return err
	}
	if err = o.f.Close(); o.f.Closed() {
		p.files.remove(uintptr(o.handle))
		h.Set(FILE_NULL)
	}
	return err
}

// deleteFile removes a file.
func (p *Process) deleteFile(name CString, _ *comm.Info) error {
	path, err := name.given()
	if err != nil {
		return err
	}
	return file.Delete(withoutSystem(path))
}

// whenceOf is what a seek counts from; another number is one that is refused.
func whenceOf(whence int) file.Whence {
	switch whence {
	case SEEK_SET:
		return file.FromStart
	case SEEK_CUR:
		return file.FromHere
	case SEEK_END:
		return file.FromEnd
	}
	return -1
}

// fileHandlerOf returns the error handler of a file. Of MPI_FILE_NULL it is that of files that are opened from now on.
func (p *Process) fileHandlerOf(h File) (**errhandler, error) {
	if h == FILE_NULL {
		return &p.fileHandler, nil
	}
	o, err := p.opened(h)
	if err != nil {
		return nil, err
	}
	return &o.handler, nil
}

// File_get_errhandler is MPI_File_get_errhandler.
func (p *Process) File_get_errhandler(h File, out Ptr[Errhandler]) error {
	at, err := p.fileHandlerOf(h)
	if err == nil {
		p.give(*at, out)
	}
	return err
}

// File_set_errhandler is MPI_File_set_errhandler.
func (p *Process) File_set_errhandler(h File, handler Errhandler) error {
	at, err := p.fileHandlerOf(h)
	if err != nil {
		return err
	}
	e, err := p.handler(handler, onFile)
	if err == nil {
		*at = e
	}
	return err
}

// File_call_errhandler is MPI_File_call_errhandler.
func (p *Process) File_call_errhandler(h File, code int) error {
	at, err := p.fileHandlerOf(h)
	if err != nil {
		return err
	}
	return p.callHandler(*at, uintptr(h), "MPI_File_call_errhandler", nil, code)
}

// setInfo adds hints to those of a file.
func (p *Process) setInfo(o *openFile, info Info) error {
	hints, wrong := p.hints(info)
	return o.f.SetInfo(hints, wrong)
}

// File_set_view is MPI_File_set_view. What is wrong with the arguments of one rank is an error of all.
func (p *Process) File_set_view(o *openFile, disp int, etype, filetype Type, rep CString, info Info) error {
	var next openFile
	hints, wrong := p.hints(info)
	if wrong == nil {
		wrong = p.view(&next, etype, filetype, rep)
	}
	v := file.View{Displacement: int64(disp)}
	if disp == DISPLACEMENT_CURRENT {
		v.Displacement = file.Here
	}
	if wrong == nil {
		v.Datarep = next.datarep.name
		v.Element, v.Type, wrong = next.inFile()
	}
	if err := o.f.SetView(v, hints, wrong); err != nil {
		return err
	}
	o.etype, o.filetype, o.datarep = next.etype, next.filetype, next.datarep
	return nil
}

// view looks up what a view consists of.
func (p *Process) view(o *openFile, etype, filetype Type, rep CString) (err error) {
	if o.datarep, err = p.dataRep(rep); err != nil {
		return err
	}
	if o.etype, err = p.messageType(etype); err != nil {
		return err
	}
	o.filetype, err = p.messageType(filetype)
	return err
}

// File_get_view is MPI_File_get_view. Types that are not predefined get a handle of their own, which the program frees.
func (p *Process) File_get_view(o *openFile, disp Ref, etype, filetype Ptr[Type], rep OutString) error {
	for _, out := range []struct {
		t  *typeObject
		at Ptr[Type]
	}{{o.etype, etype}, {o.filetype, filetype}} {
		h, err := p.handleOf(out.t)
		if err != nil {
			return err
		}
		out.at.Set(h)
	}
	disp.Set(int(o.f.View().Displacement))
	rep.Set(o.datarep.name, MAX_DATAREP_STRING)
	return nil
}

// extentOf is the extent that a type has in the file.
func (o *openFile) extentOf(t *typeObject) (int64, error) {
	there, err := o.datarep.typeInFile(t)
	if err != nil {
		return 0, err
	}
	_, extent := there.Extent()
	return extent, nil
}

// fileClasses are the error classes of causes that are no errors of the system.
var fileClasses = []struct {
	is    error
	class int
}{
	{file.ErrMode, ERR_AMODE}, {file.ErrNotSame, ERR_NOT_SAME}, {file.ErrElsewhere, ERR_NOT_SAME},
	{file.ErrReadOnly, ERR_READ_ONLY}, {file.ErrWriteOnly, ERR_ACCESS},
	{file.ErrSequential, ERR_UNSUPPORTED_OPERATION},
	{file.ErrElement, ERR_IO}, {file.ErrType, ERR_TYPE},
	{file.ErrSplit, ERR_OTHER}, {file.ErrNoSplit, ERR_OTHER}, {file.ErrClosed, ERR_FILE},
	{file.ErrArgument, ERR_ARG},
}

// errnoClasses are those of errors of the system.
var errnoClasses = map[syscall.Errno]int{
	syscall.ENOENT: ERR_NO_SUCH_FILE, syscall.EEXIST: ERR_FILE_EXISTS, syscall.EACCES: ERR_ACCESS,
	syscall.EPERM: ERR_ACCESS, syscall.ENOSPC: ERR_NO_SPACE, syscall.EFBIG: ERR_NO_SPACE, syscall.EDQUOT: ERR_QUOTA,
	syscall.EROFS: ERR_READ_ONLY, syscall.ENAMETOOLONG: ERR_BAD_FILE, syscall.ENOTDIR: ERR_BAD_FILE,
	syscall.EISDIR: ERR_BAD_FILE, syscall.ELOOP: ERR_BAD_FILE, syscall.ESPIPE: ERR_BAD_FILE,
	syscall.EINVAL: ERR_ARG, syscall.EFAULT: ERR_BUFFER,
	syscall.ETXTBSY: ERR_FILE_IN_USE, syscall.EBUSY: ERR_FILE_IN_USE,
}

// fileClass is the error class of an error of a file.
func fileClass(e *fault.FileError) int {
	if refused, ok := errors.AsType[*file.RefusedError](e); ok {
		return refused.Class
	}
	for _, c := range fileClasses {
		if errors.Is(e, c.is) {
			return c.class
		}
	}
	if errno, ok := errors.AsType[syscall.Errno](e); ok {
		if class, ok := errnoClasses[errno]; ok {
			return class
		}
		return ERR_IO
	}
	return ERR_OTHER
}
