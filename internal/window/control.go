package window

import (
	"math/bits"
	"sync/atomic"

	"github.com/gopvas/gopvas/internal/comm"
)

const cacheLine = 64

// control is what the ranks of a window share beside its memory; see doc.go. It begins as zeros.
type control struct {
	head    *head
	records []record     // by rank
	stripes []stripe     // a power of two
	block   *comm.Window // its memory
}

type head struct {
	everyone atomic.Int64
	_        [cacheLine - 8]byte
	sleepers atomic.Int32
	_        [cacheLine - 4]byte
}

// record is what concerns one rank: first as a target, then as an origin.
type record struct {
	lock  atomic.Uint64
	_     [cacheLine - 8]byte
	held  atomic.Int64
	waits atomic.Int32
	_     [cacheLine - 12]byte
}

type stripe struct {
	holder atomic.Uint32 // rank, from 1; 0: nobody
	_      [cacheLine - 4]byte
}

const (
	headSize   = 2 * cacheLine
	recordSize = 2 * cacheLine
	stripeSize = cacheLine

	// There are so many stripes for each rank, so that two ranks seldom meet by accident, within these bounds.
	stripesOfRank = 4
	fewestStripes = 64
	mostStripes   = 1024
)

// share makes the control block of a node, for all ranks of the window. It is collective.
func (k *control) share(c *comm.Comm, n int) error {
	stripes := 1 << bits.Len(uint(min(max(n*stripesOfRank, fewestStripes), mostStripes)-1))
	size := 0
	if c.Rank() == 0 {
		size = headSize + n*recordSize + stripes*stripeSize
	}
	w, err := comm.WinAllocateControl(c, size)
	if err != nil {
		return err
	}
	k.block = w
	memory, err := w.Segment(0)
	if err == nil {
		k.place(memory, n, stripes)
	}
	return err
}
