package host

import (
	"syscall"
)

// Ranks find the operators of other ranks by a name if they run the same program
// (job.Root.SameProgram). A path does not tell: the file may be replaced while ranks are
// started. So a program is known by the file that the path means and by its last change.

// programID tells the contents of files apart.
type programID struct {
	dev, ino, size uint64
	mtime, ctime   syscall.Timespec
}

// programIDs numbers the programs of a job.
type programIDs map[programID]uint32

// number returns a number that paths of the same file have in common, and 0 if there is no
// such file. A file that has changed has another number.
func (p programIDs) number(path string) uint32 {
	var st syscall.Stat_t
	if err := syscall.Stat(path, &st); err != nil {
		return 0
	}
	id := programID{st.Dev, st.Ino, uint64(st.Size), st.Mtim, st.Ctim}
	n, ok := p[id]
	if !ok {
		n = uint32(len(p)) + 1
		p[id] = n
	}
	return n
}
