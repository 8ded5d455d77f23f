package file

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/msg/reach"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/trace"
)

// File is a file that the ranks of a communicator have opened together. Calls that are not collective may be made by
// several goroutines at a time, collective ones by one.
type File struct {
	name   string
	mode   Mode
	ranks  *comm.Comm // with messages of its own
	node   *comm.Comm // those on this node; ranks if that is all
	nodes  []int      // by rank: the first one on its node; nil: all are on one
	fd     *os.File
	holes  *os.File // to read what a file that is only written has; nil: the same, or it cannot be read
	shared *shared
	direct bool // the ranks of a node can address one another's memory
	reach  bool // they can read and write it by calls of the system

	processes []*reach.Process // by which, by rank; nil: of this rank and those of other nodes

	apart  bool // each rank moves its own bytes in collective calls, too
	caches bool // nodes see late what others have written
	hints  hints
	begun  atomic.Int64 // the last collective call

	mu       sync.Mutex // guards what follows
	view     View
	position int64 // of this rank, in the stream
	mover    mover
	split    *split
	atomic   bool
	closed   bool
}

// Open opens a file on all ranks of a communicator, or on none. All pass the same name and mode. wrong is what the face
// has found wrong with the call of this rank: then all ranks get an error.
func Open(c *comm.Comm, name string, mode Mode, info *comm.Info, wrong error) (_ *File, err error) {
	call := c.BeginTally(trace.FileOpen)
	defer func() { call.End(0, -1, err) }()
	f := &File{name: absolute(name), mode: mode, view: ByteView()}
	err = comm.Make(c, "a call that opens a file", func(own *comm.Comm) error {
		own.SetName(name)
		comm.BelongsTo(own, comm.FilesLeft)
		f.ranks = own
		return f.open(info, wrong)
	})
	if err != nil {
		f.release()
		return nil, f.wrap("open", err)
	}
	return f, nil
}

// absolute is a name that stays right if the program changes its folder.
func absolute(name string) string {
	dir, err := os.Getwd()
	if long := dir + "/" + name; err == nil && name != "" && !filepath.IsAbs(name) && len(long) < 4096 {
		return long
	}
	return name
}

// open makes a file ready for use. The first rank opens it before the others, so that one creates it.
func (f *File) open(info *comm.Info, bad error) error {
	if bad == nil {
		bad = f.mode.check()
	}
	if bad == nil {
		bad = f.hints.set(info)
	}
	if err := f.meet(opens, bad, int64(f.mode)); err != nil {
		return err
	}
	if f.ranks.Rank() == 0 {
		bad = f.openAs(f.mode.creates())
	}
	if err := f.agree(bad); err != nil {
		return err
	}
	if f.ranks.Rank() != 0 {
		bad = f.openAs(f.mode.flags())
		if errors.Is(bad, syscall.ENOENT) {
			bad = ErrElsewhere
		}
	}
	if err := f.agree(bad); err != nil {
		return err
	}
	f.prepare()
	for _, do := range []func() error{f.findStorage, f.share, f.agreeOnWindow} {
		if err := do(); err != nil {
			return err
		}
	}
	f.findWays()
	if f.mode&Append != 0 {
		return f.agree(f.toEnd())
	}
	return nil
}

// openAs opens the file of the system.
func (f *File) openAs(flags int) error {
	if st, err := os.Stat(f.name); err == nil { // before: to open a pipe would wait for its other end
		switch {
		case st.IsDir():
			return syscall.EISDIR
		case st.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0:
			return syscall.ESPIPE
		}
	}
	fd, err := os.OpenFile(f.name, flags, 0o666)
	f.fd = fd
	if path, ok := errors.AsType[*os.PathError](err); ok {
		err = path.Err
	}
	return err
}

// prepare sets up what moves bytes.
func (f *File) prepare() {
	f.mover.fd = int(f.fd.Fd())
	f.mover.readable = f.mover.fd
	if st, err := f.fd.Stat(); err == nil {
		empty := st.Size() == 0 && f.mode&ReadOnly != 0 // as those of /proc say
		f.mover.sized = st.Mode()&os.ModeCharDevice == 0 && !empty
	}
	if f.mode&WriteOnly == 0 {
		return
	}
	f.mover.readable = -1
	if fd, err := os.Open(f.name); err == nil {
		f.holes, f.mover.readable = fd, int(fd.Fd())
	}
}

// toEnd has the pointers of a file that is opened to append begin at its end.
func (f *File) toEnd() error {
	size, err := sys.FileSize(f.mover.fd)
	f.position = size
	if f.ranks.Rank() == 0 {
		f.shared.pointer().Store(size)
	}
	return err
}

// release gives back what the file has of the system.
func (f *File) release() {
	for _, fd := range []*os.File{f.fd, f.holes} {
		if fd != nil {
			_ = fd.Close()
		}
	}
}

// Close ends the use of a file. It is collective: no rank returns before all have called it, unless one has failed.
func (f *File) Close() error {
	if err := f.usable(); err != nil {
		return f.wrap("close", err)
	}
	if err := comm.Outlive(f.ranks, f.meet(closes, f.splitError())); err != nil {
		return f.wrap("close", err) // it is open on all ranks
	}
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	call := f.ranks.BeginTally(trace.FileClose)
	err := f.end()
	call.End(0, -1, err)
	return f.wrap("close", err)
}

// end closes a file that no rank uses any more.
func (f *File) end() error {
	err := comm.Outlive(f.ranks, f.shared.free())
	if f.node != f.ranks {
		err = errors.Join(err, f.node.Free())
	}
	f.release()
	if f.mode&DeleteOnClose != 0 && f.ranks.Rank() == 0 {
		err = errors.Join(err, syscall.Unlink(f.name))
	}
	err = comm.Outlive(f.ranks, f.agree(err))
	return errors.Join(err, f.ranks.Free())
}

// Delete removes a file that no rank has open.
func Delete(name string) error {
	f := &File{name: name}
	return f.wrap("delete", syscall.Unlink(name))
}

// usable returns an error if the file cannot be used any more.
func (f *File) usable() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.gone() {
		return ErrClosed
	}
	return nil
}

// Revoke has all ranks return comm.ErrRevoked from collective calls on the file, now and later, but for Close: see
// comm.Revoke.
func (f *File) Revoke() error {
	if err := f.usable(); err != nil {
		return f.wrap("revoke", err)
	}
	return f.wrap("revoke", comm.Bare(comm.Revoke(f.ranks)))
}

// Closed tells whether it cannot be used any more.
func (f *File) Closed() bool { return f.usable() != nil }

// gone tells whether the file was closed, or never opened. The caller holds f.mu.
func (f *File) gone() bool { return f.closed || f.ranks == nil }

// Mode is how it was opened.
func (f *File) Mode() Mode { return f.mode }

// Group is the ranks that have opened it.
func (f *File) Group() *comm.Group { return f.ranks.Group() }
