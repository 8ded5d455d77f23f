package reach

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/gopvas/gopvas/internal/coll"
	"github.com/gopvas/gopvas/internal/comm"
	"github.com/gopvas/gopvas/internal/sys"
)

// ErrForbidden means that a rank may not read the memory of another one.
var ErrForbidden = errors.New("a rank cannot read the memory of another one")

// Try finds out whether each rank can read the memory of the rank after it. It is collective. It returns all processes,
// by rank, nil for this one, and ErrForbidden on all ranks if one of them cannot.
func Try(c *comm.Comm) (list []*Process, err error) {
	own := binary.LittleEndian.AppendUint64(nil, uint64(os.Getpid()))
	mine := binary.LittleEndian.AppendUint64(own, uint64(sys.HeapAddr(own)))
	all, err := gather(c, binary.LittleEndian.AppendUint64(mine, uint64(os.Getppid())))
	if err != nil {
		return nil, err
	}
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(all[8*i:]) }
	children := map[uint64]int{}
	for rank := range c.Size() {
		children[word(3*rank+2)]++
	}
	list = make([]*Process, c.Size())
	for rank := range list {
		if rank != c.Rank() && err == nil {
			list[rank], err = find(c, rank, int(word(3*rank)), children[word(3*rank+2)] > 1)
		}
	}
	next := (c.Rank() + 1) % c.Size()
	if err == nil {
		err = reads(int(word(3*next)), uintptr(word(3*next+1)))
	}
	answer := []byte{0}
	if err != nil {
		answer[0] = 1
	}
	answers, lost := gather(c, answer)
	runtime.KeepAlive(own) // no rank comes here before all have read, and found the processes of all
	switch {
	case lost != nil:
		return nil, lost
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrForbidden, err)
	}
	for _, refused := range answers {
		if refused != 0 {
			return nil, ErrForbidden
		}
	}
	return list, nil
}

// gather returns what all ranks have brought, one after the other.
func gather(c *comm.Comm, mine []byte) ([]byte, error) {
	all := make([]byte, len(mine)*c.Size())
	err := comm.RunCollective(c, "reach", &coll.Args{Kind: coll.Allgather, Send: coll.Buffer{Data: mine},
		Recv: coll.Buffer{Data: all, Block: len(mine)}})
	return all, err
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
