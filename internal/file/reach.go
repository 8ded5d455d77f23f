package file

import (
	"encoding/binary"
	"os"

	"github.com/gopvas/gopvas/internal/sys"
)

// tryReach returns an error if this rank can not read the memory of the rank after it by a call of the system. No rank
// leaves before all have tried.
func (f *File) tryReach() error {
	f.probe = number(int64(os.Getpid()))
	mine := append(number(int64(os.Getpid())), number(int64(sys.AddrOf(f.probe)))...)
	all, err := f.gather(mine)
	if err != nil {
		return err
	}
	next := (f.ranks.Rank() + 1) % f.ranks.Size()
	pid, address := numberIn(all, 2*next), numberIn(all, 2*next+1)
	got := make([]byte, len(f.probe))
	err = sys.GatherProcess(int(pid), got, []sys.IOVec{{Addr: uintptr(address), Len: uint64(len(got))}})
	if err == nil && int64(binary.LittleEndian.Uint64(got)) != pid {
		err = ErrRefused // another process has this number here
	}
	return err
}
