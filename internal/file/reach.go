package file

import (
	"encoding/binary"
	"errors"
	"os"
	"runtime"

	"github.com/gopvas/gopvas/internal/sys"
)

// canReach tells whether each rank can read the memory of the rank after it by a call of the system.
func (f *File) canReach() bool {
	pid := number(int64(os.Getpid()))
	all, err := f.gather(append(pid, number(int64(sys.HeapAddr(pid)))...))
	if err == nil {
		next := (f.ranks.Rank() + 1) % f.ranks.Size()
		err = reads(int(numberIn(all, 2*next)), uintptr(numberIn(all, 2*next+1)))
	}
	err = f.agree(err)
	runtime.KeepAlive(pid) // no rank comes here before all have read
	return err == nil
}

// reads reads the number of a process at an address of its memory. In another PID namespace the number is that of
// another process, or of none.
func reads(pid int, address uintptr) error {
	got := make([]byte, 8)
	err := sys.GatherProcess(pid, got, []sys.IOVec{{Base: address, Len: len(got)}})
	if err == nil && int64(binary.LittleEndian.Uint64(got)) != int64(pid) {
		err = errors.New("another process has this number here")
	}
	return err
}
