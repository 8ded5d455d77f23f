package file

import (
	"fmt"
	"strconv"

	"github.com/gopvas/gopvas/internal/msg/comm"
)

// hints are those that a file follows: one.
type hints struct {
	buffer int64 // bytes; 0: it is not given
}

const bufferSize = "cb_buffer_size"

// set adds hints. All keys are accepted; a value that cannot be a size is an error.
func (h *hints) set(info *comm.Info) error {
	if info == nil {
		return nil
	}
	if value, ok := info.Get(bufferSize); ok {
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n <= 0 {
			return fmt.Errorf("%w: the hint %s is %q: pass a number of bytes", ErrArgument, bufferSize, value)
		}
		h.buffer = n
	}
	return nil
}

// window is how much of a file is assembled in memory at a time.
func (h *hints) window() int64 {
	if h.buffer > 0 {
		return min(max(h.buffer, 64<<10), 256<<20)
	}
	return windowSize
}

// agreeOnWindow has all ranks take the window of the first: they cut the file into the same domains.
func (f *File) agreeOnWindow() error {
	f.mu.Lock()
	mine := f.hints.window()
	f.mu.Unlock()
	all, err := comm.Tell(f.ranks, f.doing(), mine)
	if err == nil {
		f.mu.Lock()
		f.mover.window = all[0]
		f.mu.Unlock()
	}
	return err
}

// SetInfo adds hints. It is collective. wrong is what the face has found wrong with the call of this rank.
func (f *File) SetInfo(info *comm.Info, wrong error) error {
	if err := f.usable(); err != nil {
		return f.wrap("set info", err)
	}
	f.mu.Lock()
	if wrong == nil {
		wrong = f.hints.set(info)
	}
	f.mu.Unlock()
	err := f.meet(setsInfo, wrong)
	if err == nil {
		err = f.agreeOnWindow()
	}
	return f.wrap("set info", err)
}

// Info returns the hints that the file follows, as it does, in a new object.
func (f *File) Info() *comm.Info {
	f.mu.Lock()
	defer f.mu.Unlock()
	info := new(comm.Info)
	info.Set(bufferSize, strconv.FormatInt(f.mover.window, 10))
	info.Set("cb_nodes", strconv.Itoa(f.ranks.Size()))
	return info
}
