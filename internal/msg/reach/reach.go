package reach

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"

	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// ErrForbidden means that a rank may not read the memory of another one.
var ErrForbidden = errors.New("a rank cannot read the memory of another one")

// self is what a rank tells of its process.
type self struct {
	pid, parent int64   // pid is 0 in another PID namespace than the supervisor's
	at          uintptr // where its memory has its pid
}

// Try finds out whether each rank can read the memory of the rank after it. It is collective. It returns all processes,
// by rank, nil for this one, and ErrForbidden on all ranks if one of them cannot.
func Try(c *comm.Comm) (list []*Process, err error) {
	const call = "reach"
	pid := comm.Root(c).Pid(comm.JobRank(c, c.Rank()))
	own := binary.NativeEndian.AppendUint64(nil, uint64(pid))
	all, err := comm.Tell(c, call, self{int64(pid), int64(os.Getppid()), sys.HeapAddr(own)})
	if err != nil {
		return nil, err
	}
	children := map[int64]int{}
	for _, s := range all {
		children[s.parent]++
	}
	list = make([]*Process, c.Size())
	for rank, s := range all {
		switch {
		case err != nil:
		case s.pid == 0:
			err = fmt.Errorf("rank %d is in another PID namespace", rank)
		case rank != c.Rank():
			list[rank], err = find(c, rank, int(s.pid), children[s.parent] > 1)
		}
	}
	if err == nil {
		err = all[(c.Rank()+1)%c.Size()].read()
	}
	answers, lost := comm.Tell(c, call, err == nil)
	runtime.KeepAlive(own) // no rank comes here before all have read, and found the processes of all
	switch {
	case lost != nil:
		return nil, lost
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrForbidden, err)
	case slices.Contains(answers, false):
		return nil, ErrForbidden
	}
	return list, nil
}

// read reads the pid in the memory of the process.
func (s *self) read() error {
	got := make([]byte, 8)
	err := sys.GatherProcess(int(s.pid), got, []sys.IOVec{{Base: s.at, Len: len(got)}})
	if err == nil && int64(binary.NativeEndian.Uint64(got)) != s.pid {
		err = errors.New("another process has this number here")
	}
	return err
}
